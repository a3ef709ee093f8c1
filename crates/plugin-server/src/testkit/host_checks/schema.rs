//! Shapes from the schemas that hosts receive.

use crate::pb::tfplugin6 as pb;
use crate::wire::{Field, Nesting, ObjectShape, Role, Type};

/// Returns the shape of a block of a valid schema.
pub(super) fn of_block(block: &pb::schema::Block) -> ObjectShape {
    let blocks = block.block_types.iter().map(|nested| {
        let nesting = match nesting(nested.nesting) {
            pb::schema::nested_block::NestingMode::Group => Nesting::Group,
            pb::schema::nested_block::NestingMode::List => Nesting::List,
            pb::schema::nested_block::NestingMode::Set => Nesting::Set,
            pb::schema::nested_block::NestingMode::Map => Nesting::Map,
            _ => Nesting::Single,
        };
        let inner = Type::Object(of_block(nested.block.as_ref().expect("a block has a content")));
        let ty = match nesting {
            Nesting::Single | Nesting::Group => inner,
            Nesting::List | Nesting::Optional => Type::List(Box::new(inner)),
            Nesting::Set => Type::Set(Box::new(inner)),
            Nesting::Map => Type::Map(Box::new(inner)),
        };
        Field { name: nested.type_name.clone(), ty, role: Role::Block(nesting) }
    });
    ObjectShape::new(block.attributes.iter().map(attribute).chain(blocks).collect())
}

fn attribute(attribute: &pb::schema::Attribute) -> Field {
    let ty = match &attribute.nested_type {
        None => Type::parse(&attribute.r#type).expect("a type of Terraform"),
        Some(nested) => {
            let fields = nested.attributes.iter().map(self::attribute).collect();
            let object = Type::Object(ObjectShape::new(fields));
            match nesting(nested.nesting) {
                pb::schema::object::NestingMode::List => Type::List(Box::new(object)),
                pb::schema::object::NestingMode::Set => Type::Set(Box::new(object)),
                pb::schema::object::NestingMode::Map => Type::Map(Box::new(object)),
                _ => object,
            }
        }
    };
    let &pb::schema::Attribute { required, optional, computed, write_only, .. } = attribute;
    let role = Role::Attribute { required, optional, computed, write_only };
    Field { name: attribute.name.clone(), ty, role }
}

fn nesting<N: TryFrom<i32>>(number: i32) -> N {
    N::try_from(number).ok().expect("a known nesting")
}
