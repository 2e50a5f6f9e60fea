//! Heat maps on the graphics card: the numbers are one texture, the colours another, and a program looks each pixel's number
//! up among the colours. And what points need of it as well.

use js_sys::Float32Array;
use rankine_view_wire::Field;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext as Gl, WebGlProgram, WebGlTexture, WebGlUniformLocation};

use crate::contours::Levels;
use rankine_view_wire::colours::{Map, SHADES};

/// Two triangles that cover all.
const CORNERS: &str = "#version 300 es
out vec2 place;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    place = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}";

/// What is no number is transparent; what is beyond the range has the colour of its end. A line is drawn where the numbers,
/// interpolated between the middles of cells, come within half a line's width of a level: how far a pixel is from it follows
/// from how steep they are there.
const PIXELS: &str = "#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D numbers;
uniform sampler2D shades;
uniform vec2 range;
uniform bool logarithmic;
uniform vec2 pixels;
uniform vec2 levels;
uniform bool of_ten;
uniform float width;
in vec2 place;
out vec4 colour;
float above(ivec2 at) {
    float number = texelFetch(numbers, clamp(at, ivec2(0), textureSize(numbers, 0) - 1), 0).r;
    return ((of_ten ? log(number) / log(10.0) : number) - levels.x) / levels.y;
}
float line() {
    vec2 size = vec2(textureSize(numbers, 0));
    vec2 at = place * size - 0.5;
    ivec2 cell = ivec2(floor(at));
    vec2 part = at - floor(at);
    float a = above(cell), b = above(cell + ivec2(1, 0)), c = above(cell + ivec2(0, 1)), d = above(cell + ivec2(1, 1));
    float here = mix(mix(a, b, part.x), mix(c, d, part.x), part.y);
    vec2 slope = vec2(mix(b - a, d - c, part.y), mix(c - a, d - b, part.x)) * size / pixels;
    float far = abs(here - floor(here + 0.5)) / length(slope);
    return far < width ? 1.0 - smoothstep(0.5 * width, width, far) : 0.0;
}
void main() {
    ivec2 size = textureSize(numbers, 0);
    float number = texelFetch(numbers, min(ivec2(place * vec2(size)), size - 1), 0).r;
    if (isnan(number) || (logarithmic && number <= 0.0)) {
        colour = vec4(0.0);
        return;
    }
    float part = logarithmic ? log(number / range.x) / log(range.y / range.x) : (number - range.x) / (range.y - range.x);
    colour = texelFetch(shades, ivec2(clamp(part, 0.0, 1.0) * 255.0 + 0.5, 0), 0);
    if (levels.y > 0.0) {
        float ink = dot(colour.rgb, vec3(0.3, 0.59, 0.11)) > 0.45 ? 0.0 : 1.0;
        colour.rgb = mix(colour.rgb, vec3(ink), line());
    }
}";

pub(crate) struct Picture {
    gl: Gl,
    program: WebGlProgram,
    numbers: WebGlTexture,
    shades: WebGlTexture,
    size: [u32; 2],
}

/// How a picture is drawn.
pub(crate) struct Look {
    /// Columns and rows of the canvas.
    pub pixels: [u32; 2],
    /// The numbers at the ends of the colours.
    pub range: [f32; 2],
    pub is_logarithmic: bool,
    /// The lines over it, and half of their width in pixels.
    pub levels: Option<Levels>,
    pub width: f64,
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

    /// Draws what was taken over last.
    pub fn draw(&self, look: &Look) {
        let gl = &self.gl;
        let Look { pixels, range, is_logarithmic, levels, width } = *look;
        gl.viewport(0, 0, pixels[0] as i32, pixels[1] as i32);
        gl.use_program(Some(&self.program));
        for (unit, (name, texture)) in [("numbers", &self.numbers), ("shades", &self.shades)].into_iter().enumerate() {
            gl.active_texture(Gl::TEXTURE0 + unit as u32);
            gl.bind_texture(Gl::TEXTURE_2D, Some(texture));
            gl.uniform1i(self.uniform(name).as_ref(), unit as i32);
        }
        gl.uniform2f(self.uniform("range").as_ref(), range[0], range[1]);
        gl.uniform1i(self.uniform("logarithmic").as_ref(), is_logarithmic.into());
        let [base, apart] = levels.map_or([0.0; 2], |levels| [levels.base as f32, levels.apart as f32]);
        gl.uniform2f(self.uniform("levels").as_ref(), base, apart);
        gl.uniform1i(self.uniform("of_ten").as_ref(), levels.is_some_and(|levels| levels.of_ten).into());
        gl.uniform2f(self.uniform("pixels").as_ref(), pixels[0] as f32, pixels[1] as f32);
        gl.uniform1f(self.uniform("width").as_ref(), width as f32);
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
