/** JSON that a store writes as it is, into a column of type `json`. */
export class JsonText {
  constructor(readonly text: string) {}
}

/**
 * The JSON of a view, built once for what it shows and for what stands beside that: the event and the answer of one
 * commit are the same bytes. Neither object may be changed; another version is another object.
 */
export function jsonOnce<Shown extends object, Beside extends readonly [] | readonly [unknown]>(
  viewOf: (shown: Shown, ...beside: Beside) => object,
): (shown: Shown, ...beside: Beside) => JsonText {
  const built = new WeakMap<Shown, { readonly beside: unknown; readonly json: JsonText }>();
  return (shown, ...beside) => {
    const known = built.get(shown);
    if (known && known.beside === beside[0]) return known.json;
    const json = new JsonText(JSON.stringify(viewOf(shown, ...beside)));
    built.set(shown, { beside: beside[0], json });
    return json;
  };
}
