/**
 * T where JSON carries it, never where it does not: a Date, a Map, a bigint, undefined in a list or
 * alone. Members of objects may be undefined, which is taken for absent. Types cannot tell NaN or a
 * size; `carriedJson()` does.
 */
export type Carried<T> = T extends string | number | boolean | null
  ? T
  : T extends bigint | symbol | undefined | ((...args: never[]) => unknown)
    ? never
    : T extends readonly unknown[]
      ? { [K in keyof T]: Carried<T[K]> }
      : T extends object
        ? { [K in keyof T]: Carried<Exclude<T[K], undefined>> | Extract<T[K], undefined> }
        : never;

/** Why a value is not carried. `what`: in words, without anything of the value itself. */
export interface NotCarried {
  readonly refused: 'not_json' | 'too_deep' | 'too_large';
  readonly what: string;
}

const MAX_DEPTH = 64;

/**
 * The JSON text of a value that comes out of it as it went in, of at most `mostBytes` bytes of UTF-8;
 * else why not. What JSON.stringify would change or drop without a word (NaN, a Date, holes, a class,
 * toJSON) is refused. Two things count as the same: a member that is undefined and one that is absent;
 * -0 and 0.
 */
export function carriedJson(value: unknown, mostBytes: number): { readonly text: string } | NotCarried {
  const writer = new Writer(mostBytes);
  const refusal = writer.write(value, 0);
  return refusal ?? { text: writer.text() };
}

/** Written in one pass, so that a getter cannot show one thing to a check and another to the text. */
class Writer {
  private readonly pieces: string[] = [];
  private bytesLeft: number;

  constructor(private readonly mostBytes: number) {
    this.bytesLeft = mostBytes;
  }

  text(): string {
    return this.pieces.join('');
  }

  write(value: unknown, depth: number): NotCarried | null {
    if (depth > MAX_DEPTH) return { refused: 'too_deep', what: `more than ${MAX_DEPTH} levels, or a cycle` };
    if (value === null || typeof value === 'boolean') return this.put(String(value));
    if (typeof value === 'number') {
      return Number.isFinite(value)
        ? this.put(JSON.stringify(value))
        : notJson('a number that is not finite');
    }
    if (typeof value === 'string') {
      // Before it is escaped: a text of gigabytes is not to be copied to find that it is too long.
      return value.length > this.bytesLeft ? this.tooLarge() : this.put(JSON.stringify(value));
    }
    if (typeof value !== 'object') return notJson(`a value of type ${typeof value}`);
    return Array.isArray(value) ? this.writeList(value, depth) : this.writeObject(value, depth);
  }

  private writeList(list: readonly unknown[], depth: number): NotCarried | null {
    if (list.length > this.bytesLeft) return this.tooLarge();
    if (Object.keys(list).length !== list.length) return notJson('a list with holes or with members');
    for (let i = 0; i < list.length; i++) {
      const refusal = this.put(i === 0 ? '[' : ',') ?? this.write(list[i], depth + 1);
      if (refusal) return refusal;
    }
    return this.put(list.length === 0 ? '[]' : ']');
  }

  private writeObject(object: object, depth: number): NotCarried | null {
    if (!isPlain(object)) return notJson('an object of a class');
    if (Object.getOwnPropertySymbols(object).length > 0) return notJson('a member named by a symbol');
    let isFirst = true;
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue;
      if (name.length > this.bytesLeft) return this.tooLarge();
      const refusal =
        this.put(`${isFirst ? '{' : ','}${JSON.stringify(name)}:`) ?? this.write(member, depth + 1);
      if (refusal) return refusal;
      isFirst = false;
    }
    return this.put(isFirst ? '{}' : '}');
  }

  private put(piece: string): NotCarried | null {
    this.bytesLeft -= Buffer.byteLength(piece);
    if (this.bytesLeft < 0) return this.tooLarge();
    this.pieces.push(piece);
    return null;
  }

  private tooLarge(): NotCarried {
    return { refused: 'too_large', what: `more than ${this.mostBytes} bytes` };
  }
}

function notJson(what: string): NotCarried {
  return { refused: 'not_json', what };
}

/** Also where it comes from another realm (a vm context), whose Object.prototype is another one. */
function isPlain(object: object): boolean {
  const parent: unknown = Object.getPrototypeOf(object);
  if (parent === null) return true;
  return (
    typeof parent === 'object' &&
    Object.getPrototypeOf(parent) === null &&
    Object.hasOwn(parent, 'hasOwnProperty')
  );
}
