//! Heat maps on the graphics card: the numbers are one texture, the colours another, and a program looks each pixel's number
//! up among the colours. And what points need of it as well.

use js_sys::Float32Array;
use rankine_view_wire::Field;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext as Gl, WebGlProgram, WebGlTexture, WebGlUniformLocation};

use rankine_view_wire::colours::{Map, SHADES};

/// Two triangles that cover all.
const CORNERS: &str = "#version 300 es
out vec2 place;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    place = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}";

/// What is no number is transparent; what is beyond the range has the colour of its end.
const PIXELS: &str = "#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D numbers;
uniform sampler2D shades;
uniform vec2 range;
uniform bool logarithmic;
in vec2 place;
out vec4 colour;
void main() {
    ivec2 size = textureSize(numbers, 0);
    float number = texelFetch(numbers, min(ivec2(place * vec2(size)), size - 1), 0).r;
    if (isnan(number) || (logarithmic && number <= 0.0)) {
        colour = vec4(0.0);
        return;
    }
    float part = logarithmic ? log(number / range.x) / log(range.y / range.x) : (number - range.x) / (range.y - range.x);
    colour = texelFetch(shades, ivec2(clamp(part, 0.0, 1.0) * 255.0 + 0.5, 0), 0);
}";

pub(crate) struct Picture {
    gl: Gl,
    program: WebGlProgram,
    numbers: WebGlTexture,
    shades: WebGlTexture,
    size: [u32; 2],
}

impl Picture {
    /// A picture on a canvas; an error says what the browser lacks.
    pub fn new(canvas: &HtmlCanvasElement) -> Result<Picture, String> {
        let gl = context(canvas, false)?;
        let program = program(&gl, CORNERS, PIXELS)?;
        let numbers = texture(&gl).ok_or_else(lacking)?;
        let shades = texture(&gl).ok_or_else(lacking)?;
        Ok(Picture { gl, program, numbers, shades, size: [0, 0] })
    }

    /// Takes over a field's numbers.
    pub fn load(&mut self, field: &Field) -> Result<(), JsValue> {
        let gl = &self.gl;
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.numbers));
        gl.pixel_storei(Gl::UNPACK_ALIGNMENT, 4);
        let [rows, columns] = field.size();
        if self.size != [rows, columns] {
            gl.tex_image_2d_with_i32_and_i32_and_i32_and_format_and_type_and_opt_u8_array(
                Gl::TEXTURE_2D,
                0,
                Gl::R32F as i32,
                columns as i32,
                rows as i32,
                0,
                Gl::RED,
                Gl::FLOAT,
                None,
            )?;
            self.size = [rows, columns];
        }
        for part in &field.parts {
            // SAFETY: nothing is allocated while the view of these numbers is used.
            let numbers = unsafe { Float32Array::view(&part.values) };
            gl.tex_sub_image_2d_with_i32_and_i32_and_u32_and_type_and_opt_array_buffer_view(
                Gl::TEXTURE_2D,
                0,
                part.start[1] as i32,
                part.start[0] as i32,
                part.count[1] as i32,
                part.count[0] as i32,
                Gl::RED,
                Gl::FLOAT,
                Some(&numbers),
            )?;
        }
        Ok(())
    }

    /// Chooses the colours.
    pub fn colour(&self, map: &Map) -> Result<(), JsValue> {
        load_shades(&self.gl, &self.shades, map)
    }

    /// Draws what was taken over last, in so many pixels.
    pub fn draw(&self, pixels: [u32; 2], range: [f32; 2], is_logarithmic: bool) {
        let gl = &self.gl;
        gl.viewport(0, 0, pixels[0] as i32, pixels[1] as i32);
        gl.use_program(Some(&self.program));
        for (unit, (name, texture)) in [("numbers", &self.numbers), ("shades", &self.shades)].into_iter().enumerate() {
            gl.active_texture(Gl::TEXTURE0 + unit as u32);
            gl.bind_texture(Gl::TEXTURE_2D, Some(texture));
            gl.uniform1i(self.uniform(name).as_ref(), unit as i32);
        }
        gl.uniform2f(self.uniform("range").as_ref(), range[0], range[1]);
        gl.uniform1i(self.uniform("logarithmic").as_ref(), is_logarithmic.into());
        gl.clear_color(0.0, 0.0, 0.0, 0.0);
        gl.clear(Gl::COLOR_BUFFER_BIT);
        gl.draw_arrays(Gl::TRIANGLE_STRIP, 0, 4);
        gl.active_texture(Gl::TEXTURE0);
    }

    fn uniform(&self, name: &str) -> Option<WebGlUniformLocation> {
        self.gl.get_uniform_location(&self.program, name)
    }
}

fn lacking() -> String {
    "this browser has no WebGL 2".to_owned()
}

/// What draws on a canvas; nearer things hide others if it is `deep`.
pub(crate) fn context(canvas: &HtmlCanvasElement, deep: bool) -> Result<Gl, String> {
    let options = js_sys::Object::new();
    for (name, value) in [("antialias", false), ("depth", deep), ("preserveDrawingBuffer", true)] {
        let _ = js_sys::Reflect::set(&options, &name.into(), &value.into());
    }
    let context = canvas.get_context_with_context_options("webgl2", &options);
    Ok(context.ok().flatten().ok_or_else(lacking)?.unchecked_into())
}

/// A program of two shaders.
pub(crate) fn program(gl: &Gl, vertices: &str, pixels: &str) -> Result<WebGlProgram, String> {
    let program = gl.create_program().ok_or_else(lacking)?;
    for (kind, source) in [(Gl::VERTEX_SHADER, vertices), (Gl::FRAGMENT_SHADER, pixels)] {
        let shader = gl.create_shader(kind).ok_or_else(lacking)?;
        gl.shader_source(&shader, source);
        gl.compile_shader(&shader);
        gl.attach_shader(&program, &shader);
    }
    gl.link_program(&program);
    if gl.get_program_parameter(&program, Gl::LINK_STATUS).is_truthy() {
        return Ok(program);
    }
    Err(gl.get_program_info_log(&program).unwrap_or_else(lacking))
}

/// Makes a texture one of the colours of a map.
pub(crate) fn load_shades(gl: &Gl, shades: &WebGlTexture, map: &Map) -> Result<(), JsValue> {
    gl.bind_texture(Gl::TEXTURE_2D, Some(shades));
    gl.tex_image_2d_with_i32_and_i32_and_i32_and_format_and_type_and_opt_u8_array(
        Gl::TEXTURE_2D,
        0,
        Gl::RGBA as i32,
        SHADES as i32,
        1,
        0,
        Gl::RGBA,
        Gl::UNSIGNED_BYTE,
        Some(&map.shades()),
    )
}

/// A texture whose points are taken as they are.
pub(crate) fn texture(gl: &Gl) -> Option<WebGlTexture> {
    let texture = gl.create_texture()?;
    gl.bind_texture(Gl::TEXTURE_2D, Some(&texture));
    for (name, value) in [
        (Gl::TEXTURE_MIN_FILTER, Gl::NEAREST),
        (Gl::TEXTURE_MAG_FILTER, Gl::NEAREST),
        (Gl::TEXTURE_WRAP_S, Gl::CLAMP_TO_EDGE),
        (Gl::TEXTURE_WRAP_T, Gl::CLAMP_TO_EDGE),
    ] {
        gl.tex_parameteri(Gl::TEXTURE_2D, name, value as i32);
    }
    Some(texture)
}
