//! Frees cycles of references.
//!
//! Classes refer to each other, a block in a variable refers to the frame of that variable, and an array, a hash or an object
//! may contain itself. Reference counting alone would never free them.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::Frame;
use crate::class::{Class, Object};
use crate::value::{List, Map, RubyValue};

/// Everything of a machine that may be part of a cycle: its classes, and the frames that blocks have captured.
///
/// The machine shares it with all values that the host holds. When the last owner is dropped, all cycles are broken.
#[derive(Default)]
pub(crate) struct Roots {
    /// `Object`, from which all classes with names can be reached, and the classes without names.
    classes: RefCell<Vec<Rc<Class>>>,
    frames: RefCell<Vec<Weak<Frame>>>,
    containers: RefCell<Containers>,
}

/// Arrays and hashes that were changed after they were made, and objects: only those can be in themselves.
#[derive(Default)]
struct Containers {
    list: Vec<Container>,
    /// Those that are gone are forgotten when there are so many.
    prune_at: usize,
}

enum Container {
    List(Weak<List>),
    Map(Weak<Map>),
    Object(Weak<Object>),
}

impl Container {
    fn is_alive(&self) -> bool {
        match self {
            Self::List(list) => list.strong_count() > 0,
            Self::Map(map) => map.strong_count() > 0,
            Self::Object(object) => object.strong_count() > 0,
        }
    }

    /// Takes out everything that may lead back to it.
    fn empty(&self) {
        match self {
            Self::List(list) => list.upgrade().map(|list| drop(list.items.take())),
            Self::Map(map) => map.upgrade().map(|map| {
                drop((map.entries.take(), map.default.take(), map.default_proc.take()));
            }),
            Self::Object(object) => object.upgrade().map(|object| {
                drop((object.ivars.take(), object.own_methods.take(), object.extends.take()));
                drop(object.data.take());
            }),
        };
    }
}

impl Containers {
    fn add(&mut self, container: Container) {
        if self.list.len() >= self.prune_at {
            self.list.retain(Container::is_alive);
            self.prune_at = (2 * self.list.len()).max(1024);
        }
        self.list.push(container);
    }
}

impl Roots {
    pub(crate) fn new(top: &Rc<Class>) -> Rc<Self> {
        let roots = Self::default();
        roots.add_class(top);
        Rc::new(roots)
    }

    /// Adds a class that has no name.
    pub(crate) fn add_class(&self, class: &Rc<Class>) {
        self.classes.borrow_mut().push(Rc::clone(class));
    }

    /// Adds a frame that has ended and that a block has captured.
    pub(super) fn add_frame(&self, frame: &Rc<Frame>) {
        let mut frames = self.frames.borrow_mut();
        if frames.len() == frames.capacity() {
            frames.retain(|frame| frame.strong_count() > 0);
        }
        frames.push(Rc::downgrade(frame));
    }

    /// Adds an array that is changed for the first time.
    pub(crate) fn add_list(&self, list: &Rc<List>) {
        self.containers.borrow_mut().add(Container::List(Rc::downgrade(list)));
    }

    /// Adds a hash that is changed for the first time.
    pub(crate) fn add_map(&self, map: &Rc<Map>) {
        self.containers.borrow_mut().add(Container::Map(Rc::downgrade(map)));
    }

    /// Adds a new object.
    pub(crate) fn add_object(&self, object: &Rc<Object>) {
        self.containers.borrow_mut().add(Container::Object(Rc::downgrade(object)));
    }

    /// Removes frames that were freed.
    pub(super) fn prune(&self) {
        self.frames.borrow_mut().retain(|frame| frame.strong_count() > 0);
    }

    /// Empties all frames that have ended: no block may be called afterwards.
    pub(crate) fn empty_frames(&self) {
        for frame in self.frames.take() {
            if let Some(frame) = frame.upgrade() {
                frame.vars.take();
            }
        }
    }
}

impl Drop for Roots {
    fn drop(&mut self) {
        self.empty_frames();
        let containers = self.containers.take();
        containers.list.iter().for_each(Container::empty);
        let mut open = self.classes.take();
        while let Some(class) = open.pop() {
            for (_, value) in class.constants.take() {
                if let RubyValue::Class(inner) = value {
                    open.push(inner);
                }
            }
            class.dismantle();
        }
    }
}

/// A Ruby object that the host holds, with the roots of its machine.
pub(crate) struct SharedValue {
    pub(crate) value: RubyValue,
    _roots: Rc<Roots>,
}

impl SharedValue {
    pub(crate) fn new(value: RubyValue, roots: &Rc<Roots>) -> Self {
        Self { value, _roots: Rc::clone(roots) }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::{Rc, Weak};

    use kukla_foreign::NoHost;

    use super::SharedValue;
    use crate::class::Class;
    use crate::read;
    use crate::run::{Frame, Process, Run, Vm};
    use crate::value::RubyValue;

    /// Runs code, and returns the machine and the value.
    fn ran(source: &str) -> (Vm, RubyValue) {
        let program = read::read("(test)", source).expect("it is Ruby");
        let mut vm = Vm::new("(test)", &Process::new());
        let value = Run { vm: &mut vm, host: &mut NoHost }.run_file(&program);
        let Ok(value) = value else { panic!("it fails") };
        (vm, value)
    }

    fn classes(vm: &mut Vm, names: &[&str]) -> Vec<Weak<Class>> {
        let mut run = Run { vm, host: &mut NoHost };
        names.iter().map(|name| Rc::downgrade(&run.class_named(name))).collect()
    }

    fn frames(vm: &Vm) -> Vec<Weak<Frame>> {
        vm.roots.frames.borrow().clone()
    }

    #[test]
    fn classes_end_with_what_runs() {
        let source = "module A; class B < ::String; X = [B]; def b; end; end; end; A::B";
        let (mut vm, value) = ran(source);
        let classes = classes(&mut vm, &["String", "A", "A::B"]);
        drop((value, vm));
        assert!(classes.iter().all(|class| class.strong_count() == 0), "a class is left");
    }

    #[test]
    fn classes_without_names_end_with_what_runs() {
        let (vm, value) = ran("Class.new { def b; end }");
        let RubyValue::Class(class) = value else { panic!("it is a class") };
        let weak = Rc::downgrade(&class);
        drop((class, vm));
        assert_eq!(weak.strong_count(), 0, "the class is left");
    }

    #[test]
    fn a_block_that_knows_itself_ends_with_what_runs() {
        let (vm, _) = ran("def f; g = lambda { g }; 1; end; f; [1].each { |x| h = lambda { h } }");
        let frames = frames(&vm);
        assert_eq!(frames.len(), 3, "the method's, the block's, and the file's around it");
        assert!(frames.iter().all(|frame| frame.strong_count() > 0), "it knows itself");
        drop(vm);
        assert!(frames.iter().all(|frame| frame.strong_count() == 0), "a frame is left");
    }

    #[test]
    fn a_value_that_the_host_keeps_works_until_it_goes_and_then_all_is_freed() {
        let source = "class A; def f; g = lambda { g }; g; end; end; [A.new, A.new.f]";
        let (mut vm, value) = ran(source);
        let (classes, frames) = (classes(&mut vm, &["Object", "A"]), frames(&vm));
        let shared = SharedValue::new(value, &vm.roots);
        drop(vm);
        let RubyValue::Array(items) = &shared.value else { panic!("it is an array") };
        let RubyValue::Object(object) = items.items.borrow()[0].clone() else {
            panic!("an object")
        };
        assert!(object.class.find_method("f").is_some(), "its class is whole");
        drop((object, shared));
        assert!(classes.iter().all(|class| class.strong_count() == 0), "a class is left");
        assert!(frames.iter().all(|frame| frame.strong_count() == 0), "a frame is left");
    }
}
