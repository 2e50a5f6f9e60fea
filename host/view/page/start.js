import start from "./client.js";

start({ module_or_path: "client_bg.wasm" }).catch((error) => {
  const state = document.getElementById("state");
  state.dataset.state = "ended";
  state.textContent = `this browser can't show the page: ${error}`;
});
