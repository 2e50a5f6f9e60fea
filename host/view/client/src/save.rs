//! Files of what is shown.

use js_sys::{Array, Uint8Array};
use rankine_view_wire::{Description, Field, Points, file};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, Url};

use crate::dom::{add, document};

/// Offers pictures, which lie one over another, as a file.
pub(crate) fn picture(pictures: &[&HtmlCanvasElement], name: &str) {
    let address = match pictures {
        [one] => one.to_data_url(),
        several => together(several).and_then(|picture| picture.to_data_url()),
    };
    if let Ok(address) = address {
        offer(&address, name, "png");
    }
}

/// Pictures of one size on one canvas.
fn together(pictures: &[&HtmlCanvasElement]) -> Result<HtmlCanvasElement, JsValue> {
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    let context =
        canvas.get_context("2d")?.ok_or("a canvas has a context")?.unchecked_into::<CanvasRenderingContext2d>();
    if let Some(first) = pictures.first() {
        canvas.set_width(first.width());
        canvas.set_height(first.height());
    }
    for picture in pictures {
        context.draw_image_with_html_canvas_element(picture, 0.0, 0.0)?;
    }
    Ok(canvas)
}

/// Offers the numbers of a field as a file of NumPy's.
pub(crate) fn npy(field: &Field) {
    let _ = save(&file::npy(field), &field.name, "npy");
}

/// Offers a field as an image of VTK's.
pub(crate) fn vti(field: &Field, description: &Description) {
    let _ = save(&file::vti(field, description), &field.name, "vti");
}

/// Offers points as a file of NumPy's.
pub(crate) fn npy_of_points(points: &Points) {
    let _ = save(&file::npy_of_points(points), &points.name, "npy");
}

/// Offers points as vertices of VTK's.
pub(crate) fn vtp(points: &Points, description: &Description) {
    let _ = save(&file::vtp(points, description), &points.name, "vtp");
}

fn save(file: &[u8], name: &str, kind: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(file)), &options)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    offer(&address, name, kind);
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
