/** What is made when it is first asked for, and kept: for what takes time and memory and may never be wanted. */
export function madeOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
