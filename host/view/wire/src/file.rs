//! Fields as files of other programs: NumPy's `.npy`, VTK's `.vti`.

use crate::Field;

/// The numbers of a field as a file of NumPy's.
pub fn npy(field: &Field) -> Vec<u8> {
    let [rows, columns] = field.size();
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // A line of text that ends at a multiple of 64 bytes.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((length as u16).to_le_bytes());
    file.extend(format!("{text:<width$}\n", width = length - 1).bytes());
    file.extend(field.numbers().iter().flat_map(|number| number.to_le_bytes()));
    file
}

/// A field as an image of VTK's, a number at each point, for ParaView: columns along x, rows along y, as far apart as they are in
/// the whole. The step is its time.
pub fn vti(field: &Field) -> Vec<u8> {
    let ([rows, columns], every) = (field.size(), field.every);
    let extent = format!("0 {} 0 {} 0 0", columns.saturating_sub(1), rows.saturating_sub(1));
    let (name, step) = (attribute(&field.name), field.step);
    let numbers = field.numbers();
    let head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"0 0 0\" Spacing=\"{every} {every} 1\">\n\
         <FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{step}</DataArray></FieldData>\n\
         <Piece Extent=\"{extent}\">\n\
         <PointData Scalars=\"{name}\"><DataArray type=\"Float32\" Name=\"{name}\" format=\"appended\" offset=\"0\"/></PointData>\n\
         </Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_"
    );
    let mut file = head.into_bytes();
    file.extend((4 * numbers.len() as u64).to_le_bytes());
    file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    file.extend(b"\n</AppendedData>\n</VTKFile>\n");
    file
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
    use crate::Part;

    fn field() -> Field {
        Field {
            name: "a<\"&\u{1}b".into(),
            step: 7,
            shape: [5, 6],
            every: 2,
            range: [0.0, 5.0],
            parts: vec![
                Part { start: [0, 0], count: [3, 1], values: vec![0.0, 3.0, 6.0] },
                Part { start: [0, 1], count: [3, 2], values: vec![1.0, 2.0, 4.0, 5.0, 7.0, 8.0] },
            ],
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

    #[test]
    fn vti_is_read_as_vtk_says() {
        let file = vti(&field());
        let begin = file.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
        let head = std::str::from_utf8(&file[..begin]).unwrap();
        assert!(head.contains("<ImageData WholeExtent=\"0 2 0 2 0 0\" Origin=\"0 0 0\" Spacing=\"2 2 1\">"), "{head}");
        assert!(head.contains("Name=\"a&lt;&quot;&amp;b\" format=\"appended\" offset=\"0\""), "{head}");
        let (length, rest) = file[begin..].split_first_chunk::<8>().unwrap();
        let (numbers, end) = rest.split_at(u64::from_le_bytes(*length) as usize);
        assert_eq!(singles(numbers), ascending(9));
        assert_eq!(end, b"\n</AppendedData>\n</VTKFile>\n");
    }
}
