// The resource of the examples in the documentation of this crate's traits.

#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct JarState {
    label: tf_provider::value::Value<String>,
}

struct Jar;

mod jar {
    use async_trait::async_trait;
    use tf_provider::schema::{Block, Description, Schema};
    use tf_provider::value::ValueEmpty;
    use tf_provider::{AttributePath, Diagnostics, Resource};

    use super::{Jar, JarState};

    #[async_trait]
    impl Resource for Jar {
        type State<'a> = JarState;
        type PrivateState<'a> = ValueEmpty;
        type ProviderMetaState<'a> = ValueEmpty;

        fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
            let description = Description::plain("A jar on the shelf.");
            Some(Schema { version: 1, block: Block { description, ..Block::default() } })
        }

        async fn read<'a>(
            &self,
            _: &mut Diagnostics,
            state: JarState,
            private: ValueEmpty,
            _: ValueEmpty,
        ) -> Option<(JarState, ValueEmpty)> {
            Some((state, private))
        }

        async fn plan_create<'a>(
            &self,
            _: &mut Diagnostics,
            proposed: JarState,
            _: JarState,
            _: ValueEmpty,
        ) -> Option<(JarState, ValueEmpty)> {
            Some((proposed, ValueEmpty::Null))
        }

        async fn plan_update<'a>(
            &self,
            _: &mut Diagnostics,
            _: JarState,
            proposed: JarState,
            _: JarState,
            private: ValueEmpty,
            _: ValueEmpty,
        ) -> Option<(JarState, ValueEmpty, Vec<AttributePath>)> {
            Some((proposed, private, Vec::new()))
        }

        async fn plan_destroy<'a>(
            &self,
            _: &mut Diagnostics,
            _: JarState,
            private: ValueEmpty,
            _: ValueEmpty,
        ) -> Option<ValueEmpty> {
            Some(private)
        }

        async fn create<'a>(
            &self,
            _: &mut Diagnostics,
            planned: JarState,
            _: JarState,
            private: ValueEmpty,
            _: ValueEmpty,
        ) -> Option<(JarState, ValueEmpty)> {
            Some((planned, private))
        }

        async fn update<'a>(
            &self,
            _: &mut Diagnostics,
            _: JarState,
            planned: JarState,
            _: JarState,
            private: ValueEmpty,
            _: ValueEmpty,
        ) -> Option<(JarState, ValueEmpty)> {
            Some((planned, private))
        }

        async fn destroy<'a>(
            &self,
            _: &mut Diagnostics,
            _: JarState,
            _: ValueEmpty,
            _: ValueEmpty,
        ) -> Option<()> {
            Some(())
        }
    }
}
