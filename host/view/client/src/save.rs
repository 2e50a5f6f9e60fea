//! Files of what is shown.

use js_sys::{Array, Uint8Array};
use rankine_view_wire::Field;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

use crate::dom::{add, document};

/// Offers a picture as a file.
pub(crate) fn picture(canvas: &HtmlCanvasElement, name: &str) {
    if let Ok(address) = canvas.to_data_url() {
        offer(&address, name, "png");
    }
}

/// Offers the numbers of a field as a file of NumPy's.
pub(crate) fn numbers(field: &Field) {
    let [rows, columns] = field.size().map(|count| count as usize);
    let mut file = header(rows, columns);
    file.extend(field.numbers().iter().flat_map(|number| number.to_le_bytes()));
    let _ = save(&file, &field.name);
}

/// The head of a file of NumPy's: a line of text that ends at a multiple of 64 bytes.
fn header(rows: usize, columns: usize) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{text:<width$}\n", width = length - 1).bytes());
    header
}

fn save(file: &[u8], name: &str) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type("application/octet-stream");
    let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(file)), &kind)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    offer(&address, name, "npy");
    Url::revoke_object_url(&address)
}

/// Has the browser keep what is at an address under a name that no file system stumbles over.
fn offer(address: &str, name: &str, kind: &str) {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' }).collect();
    let body = document().body().expect("a page has a body");
    let link: HtmlAnchorElement = add(&body, "a", "");
    link.set_href(address);
    link.set_download(&format!("{name}.{kind}"));
    link.click();
    link.remove();
}
