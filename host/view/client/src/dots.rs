//! Points on the graphics card: a disc for each, in the colour of its value, and in three dimensions the edges of the box
//! that is shown.

use js_sys::Float32Array;
use rankine_view_wire::colours::Map;
use wasm_bindgen::JsValue;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext as Gl, WebGlBuffer, WebGlProgram, WebGlTexture};
use web_sys::{WebGlUniformLocation, WebGlVertexArrayObject};

use crate::gl::{context, load_shades, program, texture};

/// What has no place is outside of the picture.
const PLACES: &str = "#version 300 es
layout(location = 0) in float x;
layout(location = 1) in float y;
layout(location = 2) in float z;
layout(location = 3) in float value;
uniform mat3 turn;
uniform vec3 middle;
uniform vec3 scale;
uniform float size;
out float number;
void main() {
    vec3 place = turn * ((vec3(x, y, z) - middle) * scale);
    bool nowhere = any(isnan(place)) || any(isinf(place));
    gl_Position = nowhere ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(place.xy, -0.5 * place.z, 1.0);
    gl_PointSize = size;
    number = value;
}";

/// What is no number is grey, as are the edges; points without values have one colour of the map.
const PIXELS: &str = "#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D shades;
uniform vec2 range;
uniform bool logarithmic;
uniform bool valued;
uniform bool edge;
in float number;
out vec4 colour;
void main() {
    vec2 off = gl_PointCoord - 0.5;
    if (!edge && dot(off, off) > 0.25) discard;
    if (edge || (valued && (isnan(number) || (logarithmic && number <= 0.0)))) {
        colour = vec4(0.5, 0.5, 0.5, 1.0);
        return;
    }
    float part = 0.6;
    if (valued)
        part = logarithmic ? log(number / range.x) / log(range.y / range.x) : (number - range.x) / (range.y - range.x);
    colour = texelFetch(shades, ivec2(clamp(part, 0.0, 1.0) * 255.0 + 0.5, 0), 0);
}";

/// Where points are drawn.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Pose {
    /// What lies in the middle of the picture.
    pub middle: [f32; 3],
    /// How much of half a picture's side a unit is.
    pub scale: [f32; 3],
    /// The rows of what turns that.
    pub turn: [[f32; 3]; 3],
}

impl Pose {
    /// Where a point is drawn: from -1 to 1, to the right, upwards, and towards who looks.
    pub fn place(&self, point: [f32; 3]) -> [f32; 3] {
        let scaled: [f32; 3] = std::array::from_fn(|n| (point[n] - self.middle[n]) * self.scale[n]);
        self.turn.map(|row| (0..3).map(|n| row[n] * scaled[n]).sum())
    }
}

pub(crate) struct Dots {
    gl: Gl,
    program: WebGlProgram,
    shades: WebGlTexture,
    points: Columns,
    edges: Columns,
}

/// Buffers of coordinates and values.
struct Columns {
    all: WebGlVertexArrayObject,
    buffers: Vec<WebGlBuffer>,
    count: i32,
}

impl Columns {
    fn new(gl: &Gl) -> Option<Columns> {
        let buffers = (0..4).map(|_| gl.create_buffer()).collect::<Option<_>>()?;
        Some(Columns { all: gl.create_vertex_array()?, buffers, count: 0 })
    }

    /// Takes over numbers; of columns that there are not, all are 0.
    fn load(&mut self, gl: &Gl, columns: [Option<&[f32]>; 4]) {
        gl.bind_vertex_array(Some(&self.all));
        for ((n, column), buffer) in (0..).zip(columns).zip(&self.buffers) {
            let Some(column) = column else {
                gl.disable_vertex_attrib_array(n);
                gl.vertex_attrib1f(n, 0.0);
                continue;
            };
            gl.bind_buffer(Gl::ARRAY_BUFFER, Some(buffer));
            // SAFETY: nothing is allocated while the view of these numbers is used.
            let numbers = unsafe { Float32Array::view(column) };
            gl.buffer_data_with_array_buffer_view(Gl::ARRAY_BUFFER, &numbers, Gl::DYNAMIC_DRAW);
            gl.enable_vertex_attrib_array(n);
            gl.vertex_attrib_pointer_with_i32(n, 1, Gl::FLOAT, false, 0, 0);
        }
        self.count = columns[0].map_or(0, <[f32]>::len) as i32;
    }
}

/// What is drawn, and how.
pub(crate) struct Drawing {
    pub pose: Pose,
    pub pixels: [u32; 2],
    /// Pixels of a point.
    pub size: f32,
    /// What the ends of the colours mean, if points have values.
    pub range: Option<[f32; 2]>,
    pub is_logarithmic: bool,
    pub has_edges: bool,
}

impl Dots {
    /// Points on a canvas; an error says what the browser lacks.
    pub fn new(canvas: &HtmlCanvasElement) -> Result<Dots, String> {
        let gl = context(canvas, true)?;
        let program = program(&gl, PLACES, PIXELS)?;
        let lacking = "this browser's WebGL has no room for points";
        let shades = texture(&gl).ok_or(lacking)?;
        let (points, edges) = (Columns::new(&gl).ok_or(lacking)?, Columns::new(&gl).ok_or(lacking)?);
        Ok(Dots { gl, program, shades, points, edges })
    }

    /// Takes over coordinates and values, two or three columns of the former and one or none of the latter.
    pub fn load(&mut self, coordinates: &[Vec<f32>], values: Option<&[f32]>) {
        let coordinate = |n: usize| coordinates.get(n).map(Vec::as_slice);
        self.points.load(&self.gl, [coordinate(0), coordinate(1), coordinate(2), values]);
    }

    /// Takes over the box whose edges are drawn.
    pub fn load_box(&mut self, bounds: [[f32; 2]; 3]) {
        // Along each coordinate four edges, of two ends each.
        let corner = |along: usize, edge: usize, end: usize, n: usize| {
            let which = match (n + 3 - along) % 3 {
                0 => end,
                1 => edge & 1,
                _ => edge >> 1,
            };
            bounds[n][which]
        };
        let column = |n: usize| -> Vec<f32> {
            (0..24).map(|vertex| corner(vertex / 8, vertex / 2 % 4, vertex % 2, n)).collect()
        };
        let [x, y, z] = [column(0), column(1), column(2)];
        self.edges.load(&self.gl, [Some(&x), Some(&y), Some(&z), None]);
    }

    /// Chooses the colours.
    pub fn colour(&self, map: &Map) -> Result<(), JsValue> {
        load_shades(&self.gl, &self.shades, map)
    }

    /// Draws what was taken over last.
    pub fn draw(&self, drawing: &Drawing) {
        let (gl, Drawing { pose, pixels, size, range, .. }) = (&self.gl, drawing);
        gl.viewport(0, 0, pixels[0] as i32, pixels[1] as i32);
        gl.use_program(Some(&self.program));
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.shades));
        gl.uniform1i(self.uniform("shades").as_ref(), 0);
        // Columns come first.
        let turn: [f32; 9] = std::array::from_fn(|n| pose.turn[n % 3][n / 3]);
        gl.uniform_matrix3fv_with_f32_array(self.uniform("turn").as_ref(), false, &turn);
        gl.uniform3fv_with_f32_array(self.uniform("middle").as_ref(), &pose.middle);
        gl.uniform3fv_with_f32_array(self.uniform("scale").as_ref(), &pose.scale);
        gl.uniform1f(self.uniform("size").as_ref(), *size);
        let [least, greatest] = range.unwrap_or([0.0, 1.0]);
        gl.uniform2f(self.uniform("range").as_ref(), least, greatest);
        gl.uniform1i(self.uniform("logarithmic").as_ref(), drawing.is_logarithmic.into());
        gl.uniform1i(self.uniform("valued").as_ref(), range.is_some().into());
        gl.enable(Gl::DEPTH_TEST);
        gl.clear_color(0.0, 0.0, 0.0, 0.0);
        gl.clear(Gl::COLOR_BUFFER_BIT | Gl::DEPTH_BUFFER_BIT);
        if drawing.has_edges {
            // Points hide them, also those that lie on an edge.
            gl.depth_mask(false);
            self.draw_columns(&self.edges, Gl::LINES);
            gl.depth_mask(true);
        }
        self.draw_columns(&self.points, Gl::POINTS);
    }

    fn draw_columns(&self, columns: &Columns, kind: u32) {
        self.gl.uniform1i(self.uniform("edge").as_ref(), (kind == Gl::LINES).into());
        self.gl.bind_vertex_array(Some(&columns.all));
        self.gl.draw_arrays(kind, 0, columns.count);
    }

    fn uniform(&self, name: &str) -> Option<WebGlUniformLocation> {
        self.gl.get_uniform_location(&self.program, name)
    }
}
