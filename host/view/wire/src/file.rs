//! Fields and points as files of other programs: NumPy's `.npy`, VTK's `.vti` and `.vtp`.

use crate::{Axis, Description, Field, Points, Vectors};

/// The numbers of a field as a file of NumPy's.
pub fn npy(field: &Field) -> Vec<u8> {
    let [rows, columns] = field.size();
    table([rows.into(), columns.into()], field.numbers().into_iter())
}

/// Points as a file of NumPy's: a row for each, with its coordinates and its value, if they have any.
pub fn npy_of_points(points: &Points) -> Vec<u8> {
    let columns = points.columns();
    let count = columns.iter().map(Vec::len).min().unwrap_or(0);
    let row = |n: usize| columns.iter().map(move |column| column[n]);
    table([count as u64, columns.len() as u64], (0..count).flat_map(row))
}

/// A table of singles as a file of NumPy's.
fn table([rows, columns]: [u64; 2], numbers: impl Iterator<Item = f32>) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // A line of text that ends at a multiple of 64 bytes.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((length as u16).to_le_bytes());
    file.extend(format!("{text:<width$}\n", width = length - 1).bytes());
    file.extend(numbers.flat_map(f32::to_le_bytes));
    file
}

/// The titles of axes for ParaView, of which it shows those that there are, and the step as the time.
fn field_data(step: i64, titles: [Option<String>; 3]) -> String {
    let mut data = format!(
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{step}</DataArray>"
    );
    for (letter, title) in ["X", "Y", "Z"].into_iter().zip(titles) {
        if let Some(title) = title {
            // The bytes of a text, and a zero behind them.
            let bytes: String = title.bytes().map(|byte| format!("{byte} ")).collect();
            data.push_str(&format!(
                "<Array type=\"String\" Name=\"AxisTitleFor{letter}\" NumberOfTuples=\"1\" format=\"ascii\">{bytes}0</Array>"
            ));
        }
    }
    data + "</FieldData>"
}

/// What an array of VTK's has within it: its unit, if there is one.
fn unit(description: &Description) -> String {
    match attribute(&description.unit) {
        unit if unit.is_empty() => unit,
        unit => format!("<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{unit}</InformationKey>"),
    }
}

/// The title of an axis that a program has described.
fn title(description: &Description, axis: usize) -> Option<String> {
    description.axes[axis].is_described().then(|| description.title(axis))
}

/// Points as VTK's, for ParaView: a vertex each, with its value. The step is their time.
pub fn vtp(points: &Points, description: &Description) -> Vec<u8> {
    let columns = points.columns();
    let count = columns.iter().map(Vec::len).min().unwrap_or(0);
    let coordinate = |n: usize, d: usize| if d < points.dimensions as usize { columns[d][n] } else { 0.0 };
    let places = (0..count).map(|n| [0, 1, 2].map(|d| coordinate(n, d)));
    let name = attribute(&points.name);
    let arrays = match points.has_values {
        true => vec![Array {
            name: name.clone(),
            unit: unit(description),
            width: 1,
            numbers: columns[points.dimensions as usize].clone(),
        }],
        false => Vec::new(),
    };
    let titles = [0, 1, 2].map(|axis| title(description, axis));
    vertices(&field_data(points.step, titles), places.collect(), &format!("Scalars=\"{name}\""), &arrays)
}

/// The arrows over a field as VTK's points, for ParaView: a vertex at the foot of each, with the vector and the number of the field
/// that is there. Nothing if it has no arrows. The step is their time.
pub fn vtp_of_arrows(field: &Field, description: &Description) -> Option<Vec<u8>> {
    let arrows = field.arrows.as_ref()?;
    let [_, columns] = field.size().map(|count| count as usize);
    let [down, right] = field.axes();
    let (along_x, along_y) = (&description.axes[right], &description.axes[down]);
    let (values, by) = (field.numbers(), (arrows.every / field.every.max(1)).max(1) as usize);
    let (mut places, mut vectors, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    // In an order that does not depend on who published first.
    let mut parts: Vec<&Vectors> = arrows.parts.iter().collect();
    parts.sort_by_key(|part| part.right.start);
    for Vectors { right, down } in parts {
        let width = right.count[1].max(1) as usize;
        for (n, (x, y)) in right.values.iter().zip(&down.values).enumerate() {
            let (row, column) = (right.start[0] as usize + n / width, right.start[1] as usize + n % width);
            let at = |axis: &Axis, index: usize| axis.at(index as f64 * f64::from(arrows.every)) as f32;
            places.push([at(along_x, column), at(along_y, row), 0.0]);
            vectors.extend([*x, *y, 0.0]);
            numbers.push(values.get(row * by * columns + column * by).copied().unwrap_or(f32::NAN));
        }
    }
    let (name, unit) = (attribute(&field.name), unit(description));
    let arrays = [
        Array { name: name.clone(), unit: unit.clone(), width: 1, numbers },
        Array { name: "arrows".into(), unit: String::new(), width: 3, numbers: vectors },
    ];
    let titles = [title(description, right), title(description, down), None];
    let actives = format!("Scalars=\"{name}\" Vectors=\"arrows\"");
    Some(vertices(&field_data(field.step, titles), places, &actives, &arrays))
}

/// Numbers that points of VTK's have: so many each.
struct Array {
    name: String,
    unit: String,
    width: usize,
    numbers: Vec<f32>,
}

/// A file of vertices with these arrays, of which some are the active ones.
fn vertices(data: &str, places: Vec<[f32; 3]>, actives: &str, arrays: &[Array]) -> Vec<u8> {
    let count = places.len();
    let singles = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let longs = |from: i64| (from..from + count as i64).flat_map(i64::to_le_bytes).collect();
    let mut blocks: Vec<Vec<u8>> = vec![singles(places.as_flattened()), longs(0), longs(1)];
    blocks.extend(arrays.iter().map(|array| singles(&array.numbers)));
    // Each block has its length before it.
    let at = |block: usize| blocks[..block].iter().map(|bytes| 8 + bytes.len()).sum::<usize>();
    let array = |kind: &str, name: &str, width: usize, unit: &str, block: usize| {
        let (at, width) =
            (at(block), if width > 1 { format!(" NumberOfComponents=\"{width}\"") } else { String::new() });
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\"{width} format=\"appended\" offset=\"{at}\">{unit}</DataArray>"
        )
    };
    let (points, connectivity, offsets) = (
        array("Float32", "Points", 3, "", 0),
        array("Int64", "connectivity", 1, "", 1),
        array("Int64", "offsets", 1, "", 2),
    );
    let of = |(n, of): (usize, &Array)| array("Float32", &of.name, of.width, &of.unit, 3 + n);
    let values = match arrays.is_empty() {
        true => String::new(),
        false => {
            format!("<PointData {actives}>{}</PointData>\n", arrays.iter().enumerate().map(of).collect::<String>())
        }
    };
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n{data}\n\
         <Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n\
         {values}<Points>{points}</Points>\n<Verts>{connectivity}{offsets}</Verts>\n\
         </Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_"
    );
    let mut file = head.into_bytes();
    for block in blocks {
        file.extend((block.len() as u64).to_le_bytes());
        file.extend(block);
    }
    file.extend(b"\n</AppendedData>\n</VTKFile>\n");
    file
}

/// A field as an image of VTK's, a number at each point, for ParaView: columns along x, rows along y, with the coordinates that
/// the program has said, or as far apart as they are in the whole. The step is its time.
pub fn vti(field: &Field, description: &Description) -> Vec<u8> {
    let [rows, columns] = field.size();
    let extent = format!("0 {} 0 {} 0 0", columns.saturating_sub(1), rows.saturating_sub(1));
    let (name, step) = (attribute(&field.name), field.step);
    let mut numbers = field.numbers();
    let [down, right] = field.axes();
    let (along_x, along_y) =
        (Along::new(field, description, right, columns), Along::new(field, description, down, rows));
    // Images ascend in all directions.
    if along_x.descends {
        numbers.chunks_exact_mut(columns.max(1) as usize).for_each(<[f32]>::reverse);
    }
    if along_y.descends {
        numbers = numbers.chunks_exact(columns.max(1) as usize).rev().flatten().copied().collect();
    }
    let origin = format!("{} {} 0", along_x.first, along_y.first);
    let spacing = format!("{} {} 1", along_x.spacing, along_y.spacing);
    let (unit, data) =
        (unit(description), field_data(step, [title(description, right), title(description, down), None]));
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">\n{data}\n\
         <Piece Extent=\"{extent}\">\n\
         <PointData Scalars=\"{name}\"><DataArray type=\"Float32\" Name=\"{name}\" format=\"appended\" offset=\"0\">{unit}</DataArray></PointData>\n\
         </Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_"
    );
    let mut file = head.into_bytes();
    file.extend((4 * numbers.len() as u64).to_le_bytes());
    file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    file.extend(b"\n</AppendedData>\n</VTKFile>\n");
    file
}

/// The coordinates of the rows or columns of an image.
struct Along {
    /// The least one.
    first: f64,
    /// Above 0.
    spacing: f64,
    /// The program counts the other way.
    descends: bool,
}

impl Along {
    /// Those of so many along an axis of a field.
    fn new(field: &Field, description: &Description, axis: usize, count: u32) -> Along {
        let axis: &Axis = &description.axes[axis];
        let last = f64::from(count.saturating_sub(1)) * f64::from(field.every);
        let descends = axis.spacing < 0.0;
        let first = axis.at(if descends { last } else { 0.0 });
        let spacing = if axis.spacing == 0.0 { 1.0 } else { axis.spacing.abs() };
        Along { first, spacing: spacing * f64::from(field.every), descends }
    }
}

/// A text as the value of an attribute; characters that XML does not have at all are left out.
fn attribute(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => value.push_str("&amp;"),
            '<' => value.push_str("&lt;"),
            '>' => value.push_str("&gt;"),
            '"' => value.push_str("&quot;"),
            '\t' | '\n' | '\r' => value.push(' '),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => {}
            c => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arrows, Cloud, Cut, Part};

    fn field() -> Field {
        Field {
            name: "a<\"&\u{1}b".into(),
            step: 7,
            shape: [5, 6],
            every: 2,
            range: [0.0, 5.0],
            cut: None,
            parts: vec![
                Part { start: [0, 0], count: [3, 1], values: vec![0.0, 3.0, 6.0] },
                Part { start: [0, 1], count: [3, 2], values: vec![1.0, 2.0, 4.0, 5.0, 7.0, 8.0] },
            ],
            arrows: None,
        }
    }

    fn singles(bytes: &[u8]) -> Vec<f32> {
        bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    fn ascending(count: u8) -> Vec<f32> {
        (0..count).map(f32::from).collect()
    }

    #[test]
    fn numbers_are_in_their_places() {
        assert_eq!(field().numbers(), ascending(9));
        let mut lacking = field();
        lacking.parts.pop();
        assert!(lacking.numbers()[1].is_nan() && lacking.numbers()[3] == 3.0);
    }

    #[test]
    fn npy_is_read_as_numpy_says() {
        let file = npy(&field());
        let (head, rest) = file.split_at(10);
        assert_eq!(&head[..8], b"\x93NUMPY\x01\x00");
        let (text, numbers) = rest.split_at(u16::from_le_bytes([head[8], head[9]]).into());
        assert_eq!((10 + text.len()) % 64, 0);
        let text = std::str::from_utf8(text).unwrap();
        assert!(
            text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }") && text.ends_with(" \n")
        );
        assert_eq!(singles(numbers), ascending(9));
    }

    fn points() -> Points {
        let part = |count, numbers: &[f32]| Cloud { count, numbers: numbers.to_vec() };
        Points {
            name: "a<".into(),
            step: 7,
            dimensions: 2,
            has_values: true,
            total: 3,
            every: 1,
            bounds: [[0.0, 9.0]; 3],
            range: [0.0, 9.0],
            parts: vec![part(2, &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]), part(1, &[6.0, 7.0, 8.0])],
        }
    }

    #[test]
    fn npy_of_points_has_a_row_for_each() {
        let file = npy_of_points(&points());
        assert!(file[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }"));
        assert_eq!(singles(&file[file.len() - 36..]), ascending(9));
        let none = Points { parts: Vec::new(), ..points() };
        assert!(npy_of_points(&none)[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }"));
    }

    #[test]
    fn vtp_is_read_as_vtk_says() {
        let file = vtp(&points(), &Description::default());
        let begin = file.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
        let head = std::str::from_utf8(&file[..begin]).unwrap();
        assert!(head.contains("<Piece NumberOfPoints=\"3\" NumberOfVerts=\"3\""), "{head}");
        let block = |name: &str| {
            let (_, rest) = head.split_once(&format!("Name=\"{name}\"")).unwrap();
            let (_, rest) = rest.split_once("offset=\"").unwrap();
            let (length, rest) = file[begin + rest.split('"').next().unwrap().parse::<usize>().unwrap()..]
                .split_first_chunk::<8>()
                .unwrap();
            rest[..u64::from_le_bytes(*length) as usize].to_vec()
        };
        let longs =
            |name: &str| block(name).as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect::<Vec<_>>();
        assert_eq!(singles(&block("Points")), [0.0, 1.0, 0.0, 3.0, 4.0, 0.0, 6.0, 7.0, 0.0]);
        assert_eq!((longs("connectivity"), longs("offsets")), (vec![0, 1, 2], vec![1, 2, 3]));
        assert_eq!(singles(&block("a&lt;")), [2.0, 5.0, 8.0]);
        assert!(
            !String::from_utf8_lossy(&vtp(
                &Points { has_values: false, parts: Vec::new(), ..points() },
                &Description::default()
            ))
            .contains("PointData")
        );
    }

    #[test]
    fn vti_is_read_as_vtk_says() {
        let file = vti(&field(), &Description::default());
        let begin = file.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
        let head = std::str::from_utf8(&file[..begin]).unwrap();
        assert!(head.contains("<ImageData WholeExtent=\"0 2 0 2 0 0\" Origin=\"0 0 0\" Spacing=\"2 2 1\">"), "{head}");
        assert!(head.contains("Name=\"a&lt;&quot;&amp;b\" format=\"appended\" offset=\"0\""), "{head}");
        let (length, rest) = file[begin..].split_first_chunk::<8>().unwrap();
        let (numbers, end) = rest.split_at(u64::from_le_bytes(*length) as usize);
        assert_eq!(singles(numbers), ascending(9));
        assert_eq!(end, b"\n</AppendedData>\n</VTKFile>\n");
    }

    #[test]
    fn arrows_are_vertices_with_vectors() {
        assert!(vtp_of_arrows(&field(), &Description::default()).is_none());
        // Every fourth cell of the whole, and of every second one that is here each other.
        let part = |from: f32| Part { start: [0, 0], count: [2, 2], values: (0..4).map(|n| from + n as f32).collect() };
        let arrows = Arrows { every: 4, parts: vec![Vectors { right: part(1.0), down: part(-9.0) }] };
        let axis = Axis { label: "r".into(), unit: "m".into(), first: 1.0, spacing: -0.5 };
        let description =
            Description { unit: "Pa".into(), axes: [Axis::default(), axis, Axis::default()], ..Description::default() };
        let file = vtp_of_arrows(&Field { arrows: Some(arrows), ..field() }, &description).unwrap();
        let begin = file.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
        let head = std::str::from_utf8(&file[..begin]).unwrap();
        let actives = "<PointData Scalars=\"a&lt;&quot;&amp;b\" Vectors=\"arrows\">";
        assert!(
            head.contains(actives) && head.contains("NumberOfPoints=\"4\"") && head.contains("AxisTitleForY"),
            "{head}"
        );
        assert!(head.contains("Name=\"arrows\" NumberOfComponents=\"3\" format=\"appended\""), "{head}");
        let mut rest = &file[begin..];
        let mut block = || {
            let (length, after) = rest.split_first_chunk::<8>().unwrap();
            let (bytes, after) = after.split_at(u64::from_le_bytes(*length) as usize);
            rest = after;
            bytes.to_vec()
        };
        let places = singles(&block());
        assert_eq!(places, [0.0, 1.0, 0.0, 4.0, 1.0, 0.0, 0.0, -1.0, 0.0, 4.0, -1.0, 0.0]);
        assert_eq!([block().len(), block().len()], [32, 32]);
        assert_eq!(singles(&block()), [0.0, 2.0, 6.0, 8.0]);
        assert_eq!(singles(&block()), [1.0, -9.0, 0.0, 2.0, -8.0, 0.0, 3.0, -7.0, 0.0, 4.0, -6.0, 0.0]);
        assert_eq!(rest, b"\n</AppendedData>\n</VTKFile>\n");
    }

    #[test]
    fn files_have_units_and_coordinates() {
        let axis =
            |label: &str, unit: &str, first, spacing| Axis { label: label.into(), unit: unit.into(), first, spacing };
        let axes = [axis("é", "m", 10.0, 0.25), axis("", "", 1.0, -0.5), Axis::default()];
        let description = Description { name: "a".into(), unit: "<Pa".into(), range: None, axes };
        let file = vti(&field(), &description);
        let text = String::from_utf8_lossy(&file);
        // Every second cell, and the last row first: it is at 1 - 4 · 0.5.
        assert!(text.contains("Origin=\"10 -1 0\" Spacing=\"0.5 1 1\">"), "{text}");
        assert!(
            text.contains(
                "Name=\"AxisTitleForX\" NumberOfTuples=\"1\" format=\"ascii\">195 169 32 40 109 41 0</Array>"
            )
        );
        assert!(
            text.contains("Name=\"AxisTitleForY\" NumberOfTuples=\"1\" format=\"ascii\">121 0</Array></FieldData>")
        );
        assert!(text.contains("location=\"vtkDataArray\">&lt;Pa</InformationKey></DataArray></PointData>"), "{text}");
        let end = file.len() - b"\n</AppendedData>\n</VTKFile>\n".len();
        assert_eq!(singles(&file[end - 36..end]), [6.0, 7.0, 8.0, 3.0, 4.0, 5.0, 0.0, 1.0, 2.0]);
        // Across the first dimension of three: z is not in it.
        let cut = Cut { field: 0, across: 2, index: 0, shape: [5, 6, 7] };
        let file = vti(&Field { cut: Some(cut), ..field() }, &description);
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("Origin=\"-1 0 0\" Spacing=\"1 2 1\">") && !text.contains("AxisTitleForY"), "{text}");
        let text = String::from_utf8_lossy(&vtp(&points(), &description)).into_owned();
        assert!(
            text.contains("AxisTitleForX") && text.contains("&lt;Pa</InformationKey></DataArray></PointData>"),
            "{text}"
        );
    }
}
