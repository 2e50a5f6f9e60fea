// What mdBook's highlighter makes of console blocks is made again: it takes comments for commands of root, and an apostrophe in one for
// the beginning of a text that goes on in the lines below.
const part = (kind, text) => {
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
};
const parts = line => {
    if (line.startsWith("# ")) return [part("hljs-comment", line)];
    const [, prompt, command, comment] = line.match(/^(\$ )?(.*?)( +# .*)?$/);
    if (!prompt) return [line];
    return [part("hljs-meta", prompt), command, part("hljs-comment", comment ?? "")];
};
for (const code of document.querySelectorAll("code.language-console")) {
    const lines = code.textContent.split("\n");
    code.replaceChildren(...lines.flatMap((line, at) => [...(at ? ["\n"] : []), ...parts(line)]));
}

for (const code of document.querySelectorAll("main :not(pre) > code")) {
    code.classList.toggle("short", code.textContent.length <= 24);
}
