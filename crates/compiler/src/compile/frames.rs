//! The frames of faults in the code of classes, defines and nodes.

use super::Compiler;
use super::resource::{Kind, ResourceId};
use crate::interpreter::scope::ScopeId;
use crate::{Frame, FrameKind, Stop};

impl Compiler {
    /// The frame of a class, define or node whose code is left because of a fault.
    pub(super) fn frame(&self, id: ResourceId) -> Frame {
        let mut frame = self.declared_frame(id);
        let has_own_place = self.catalog.resource(id).at.line.is_some();
        if let (FrameKind::Class, false, Some(call)) =
            (frame.kind, has_own_place, self.catalog.frames.last())
        {
            // The call that includes the class is still there, with its column.
            frame.place = Some(call.clone());
        }
        frame
    }

    /// The frame of a resource, with the place of its declaration; of a node, that of its definition.
    fn declared_frame(&self, id: ResourceId) -> Frame {
        let resource = self.catalog.resource(id);
        // A class that was included has no place, but what included it is known.
        let origin = || self.catalog.origins.code_place(resource.origin);
        let place = resource.at.place().or_else(origin);
        match &resource.kind {
            Kind::Class(Some(class)) => {
                Frame { kind: FrameKind::Class, name: class.name.to_string(), place }
            }
            Kind::Node(node) => {
                let place = node.at().place();
                Frame { kind: FrameKind::Node, name: node.name.to_string(), place }
            }
            Kind::Class(None) => Frame { kind: FrameKind::Main, name: String::new(), place: None },
            Kind::Define(_) | Kind::Native(_) => {
                let name = resource.reference().to_string();
                Frame { kind: FrameKind::Define, name, place }
            }
        }
    }

    /// Adds what contains a resource: its code is evaluated long after that of its container.
    pub(super) fn framed_by_containers(&self, mut stop: Box<Stop>, id: ResourceId) -> Box<Stop> {
        let Stop::Fault(fault) = &mut *stop else { return stop };
        let mut scope = self.catalog.resource(id).scope;
        while let Some(container) = self.catalog.scope_resource(scope) {
            fault.push_frame(|| self.declared_frame(container));
            if scope == ScopeId::TOP {
                break;
            }
            scope = self.catalog.resource(container).scope;
        }
        stop
    }
}
