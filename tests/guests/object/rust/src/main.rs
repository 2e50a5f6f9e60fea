// Owned, shared and weak Rust values around a ring, and through every collective.
// ranks: 1 2 4

mod clusters;
mod graphs;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rankine::{ANY_SOURCE, ANY_TAG, Communicator, Result, Transportable, Universe};

#[derive(Transportable, Debug, PartialEq, Clone)]
#[transport]
enum Shape {
    Nothing,
    Circle(f64),
    Polygon { corners: Vec<(f64, f64)>, name: String },
    Group(Vec<Shape>),
    Boxed(Box<Shape>, u8),
}

#[derive(Transportable, Debug, PartialEq)]
struct List<T> {
    #[transport]
    value: T,
    #[transport]
    next: Option<Box<List<T>>>,
    visits: u32,
}

#[derive(Transportable)]
#[transport]
struct Person {
    name: String,
    age: Cell<u16>,
    initial: char,
    alive: bool,
    parent: RefCell<Weak<Person>>,
    children: RefCell<Vec<Rc<Person>>>,
    friend: RefCell<Option<Rc<Person>>>,
    address: Arc<[f32; 3]>,
    marks: Option<u8>,
}

fn shapes() -> Vec<Shape> {
    let polygon = Shape::Polygon { corners: vec![(0.5, 1.5), (2.5, 3.5), (4.5, 5.5)], name: "Dreieck ∆".into() };
    vec![
        Shape::Nothing,
        Shape::Circle(2.5),
        polygon.clone(),
        Shape::Group(vec![polygon.clone(), Shape::Group(vec![]), Shape::Circle(1.0)]),
        Shape::Boxed(Box::new(Shape::Boxed(Box::new(polygon), 7)), 9),
    ]
}

fn person(name: &str, address: &Arc<[f32; 3]>) -> Rc<Person> {
    Rc::new(Person {
        name: name.into(),
        age: Cell::new(40),
        initial: name.chars().next().unwrap(),
        alive: true,
        parent: RefCell::default(),
        children: RefCell::default(),
        friend: RefCell::default(),
        address: address.clone(),
        marks: Some(3),
    })
}

fn family() -> Rc<Person> {
    let address = Arc::new([1.0, 2.0, 3.0]);
    let mother = person("Änne", &address);
    let children = [person("Bert", &address), person("Cleo", &address)];
    *children[0].friend.borrow_mut() = Some(children[1].clone());
    for child in &children {
        *child.parent.borrow_mut() = Rc::downgrade(&mother);
    }
    *mother.children.borrow_mut() = children.to_vec();
    mother
}

fn check_family(mother: &Rc<Person>) {
    let children = mother.children.borrow();
    assert_eq!((mother.name.as_str(), mother.initial, mother.age.get(), mother.marks), ("Änne", 'Ä', 40, Some(3)));
    assert_eq!(children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>(), ["Bert", "Cleo"]);
    assert!(Rc::ptr_eq(children[0].friend.borrow().as_ref().unwrap(), &children[1]));
    assert!(children.iter().all(|child| Rc::ptr_eq(&child.parent.borrow().upgrade().unwrap(), mother)));
    assert!(children.iter().all(|child| Arc::ptr_eq(&child.address, &mother.address) && child.alive));
    assert!(mother.parent.borrow().upgrade().is_none());
    assert_eq!(*mother.address, [1.0, 2.0, 3.0]);
    assert_eq!((Rc::strong_count(mother), Rc::weak_count(mother)), (1, 2));
    assert_eq!((Rc::strong_count(&children[0]), Rc::strong_count(&children[1])), (1, 2));
    assert_eq!(Arc::strong_count(&mother.address), 3);
}

fn ring(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);

    let sending = world.start_send(&shapes(), next, 3)?;
    let probed = world.probe(ANY_SOURCE, ANY_TAG)?;
    assert_eq!((probed.source, probed.tag), (before, 3));
    // Over an MPI library a probe tells the length of a message, and nothing of what is in it.
    assert!(matches!(probed.values, Some(1) | None));
    let came = world.receive::<Vec<Shape>>(ANY_SOURCE, ANY_TAG)?;
    assert_eq!((came.value, came.source, came.tag), (shapes(), before, 3));
    sending.wait()?;

    check_family(&world.exchange(&family(), next, before, 4)?);
    // A part of the family: the parent stays behind, and what is not marked is the default.
    let child = family().children.borrow()[0].clone();
    let came: Rc<Person> = world.exchange(&child, next, before, 5)?;
    assert!(came.parent.borrow().upgrade().is_none() && came.friend.borrow().is_some());

    let mut list = None;
    for value in 0..1000 {
        list = Some(Box::new(List { value: (value, format!("{value}")), next: list, visits: 5 }));
    }
    let mut came: Option<Box<List<(i32, String)>>> = world.exchange(&list, next, before, 6)?;
    for value in (0..1000).rev() {
        let node = came.unwrap();
        assert_eq!((node.value, node.visits), ((value, value.to_string()), 0));
        came = node.next;
    }
    assert!(came.is_none());

    assert!(world.try_receive::<u64>(before, 8)?.is_none());
    let sending = world.start_send(&family(), next, 9)?;
    let came = loop {
        if let Some(came) = world.try_receive::<Rc<Person>>(ANY_SOURCE, 9)? {
            break came;
        }
    };
    sending.wait()?;
    assert_eq!((came.source, came.tag), (before, 9));
    check_family(&came.value);

    let twice = Rc::new(7u64);
    let sending = world.start_send(&vec![twice.clone(), Rc::new(8), twice], next, 7)?;
    let all: Vec<Rc<u64>> = world.receive(before, 7)?.value;
    sending.wait()?;
    assert!(Rc::ptr_eq(&all[0], &all[2]) && *all[1] == 8 && Rc::strong_count(&all[0]) == 2);
    Ok(())
}

fn collectives(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let root = size - 1;
    let came = world.broadcast((rank == root).then(shapes), root)?;
    assert_eq!(came, shapes());

    let jobs = |of: i32| (0..of).map(|job| (format!("job {job} of {of}"), vec![job; job as usize])).collect::<Vec<_>>();
    let parts: Vec<_> = (0..size).map(jobs).collect();
    let own = world.scatter((rank == root).then_some(parts.as_slice()), root)?;
    assert_eq!(own, jobs(rank));
    let all = world.gather(&own, root)?;
    assert_eq!(all, (rank == root).then(|| parts.clone()));
    assert_eq!(world.allgather(&own)?, parts);
    let from_all = world.alltoall(&parts)?;
    assert!(from_all.iter().all(|part| *part == jobs(rank)));
    Ok(())
}

/// Receives that are posted before anybody sends; parts of arrays.
fn nonblocking(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);

    // Head-on: a send of so much is not done before its receive has been matched.
    let large = vec![f64::from(rank); 300_000];
    let first = world.start_receive::<Vec<f64>>(before, 1)?;
    let mut second = world.start_receive::<Rc<Person>>(ANY_SOURCE, 2)?;
    world.send(&large, next, 1)?;
    let mut sending = world.start_send(&family(), next, 2)?;
    let came = first.wait()?;
    assert_eq!((came.source, came.tag, came.value), (before, 1, vec![f64::from(before); 300_000]));
    while !second.is_complete()? || !sending.is_complete()? {}
    let came = second.wait()?;
    assert_eq!((came.source, came.tag), (before, 2));
    check_family(&came.value);

    let some = shapes();
    let receiving = world.start_receive::<Shape>(before, 3)?;
    let sending = world.start_send_all(&some[1..4], next, 3)?;
    assert_eq!(receiving.wait_all()?.value, some[1..4]);
    sending.wait()?;

    // One that nobody sends to is forgotten, and one whose message came unasked for too.
    drop(world.start_receive::<Shape>(before, 4)?);
    world.allgather(&[rank])?;
    let unread = world.start_receive::<Shape>(before, 5)?;
    world.send(&some[2], next, 5)?;
    let sending = world.start_send(&some[1], next, 4)?;
    assert_eq!(world.receive::<Shape>(before, 4)?.value, some[1]);
    sending.wait()?;
    drop(unread);

    // Parts that overlap, by slices of one array.
    let parts: Vec<&[Shape]> = (0..size as usize).map(|part| &some[part % 4..part % 4 + 2]).collect();
    // Too few parts, too many, none: nothing is read that is not there.
    let many = vec![&some[..0]; size as usize + 1];
    for wrong in [Some(&parts[..size as usize - 1]), Some(&many[..]), None] {
        assert!(world.scatter::<Shape>(wrong, rank).is_err());
        assert!(wrong.is_none_or(|wrong| world.alltoall::<Shape>(wrong).is_err()));
    }
    let own: Vec<Shape> = world.scatter((rank == 0).then_some(&parts[..]), 0)?;
    assert_eq!(own, parts[rank as usize]);
    let all: Vec<Vec<Shape>> = world.alltoall(&parts)?;
    assert!(all.iter().all(|part| part == parts[rank as usize]));
    Ok(())
}

fn main() -> Result<()> {
    let universe = Universe::new()?;
    let world = universe.world();
    ring(&world)?;
    collectives(&world)?;
    nonblocking(&world)?;
    graphs::around(&world)?;
    clusters::check(&world)?;
    if world.rank() == 0 {
        println!("OK");
    }
    Ok(())
}
