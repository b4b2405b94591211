import { SaxesParser } from 'saxes';

/** One element of a document, without its namespace. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** A file of a bank that cannot or must not be read. The message contains nothing from the file. */
export class BankFileRefused extends Error {
  override readonly name = 'BankFileRefused';
}

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 2_000_000;

interface Building {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Building[];
  text: string;
}

/**
 * Reads a document whole; its size is bounded by who fetched it. A document type is refused, and with it every entity.
 * @throws BankFileRefused
 */
export function readXml(bytes: Uint8Array): XmlElement {
  let root: Building | null = null;
  let elements = 0;
  const open: Building[] = [];
  const parser = new SaxesParser();
  const refuse = (message: string): never => {
    throw new BankFileRefused(`line ${parser.line}: ${message}`);
  };
  parser.on('doctype', () => refuse('a document type is not taken'));
  parser.on('error', () => refuse('is no XML'));
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name: name.slice(name.indexOf(':') + 1), attributes, children: [], text: '' };
    if (open.length >= MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    if (++elements > MAX_ELEMENTS) refuse(`has more than ${MAX_ELEMENTS} elements`);
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element && element.text.length < MAX_TEXT_LENGTH) element.text += text;
  });
  parser.on('closetag', () => {
    const element = open.pop()!;
    element.text = element.text.trim();
  });
  parser.write(textOf(bytes)).close();
  return root ?? refuse('is no XML');
}

const MAX_TEXT_LENGTH = 10_000;

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BankFileRefused('holds bytes that are no UTF-8');
  }
}

/** All elements at the end of a path of names. */
export function elementsAt(element: XmlElement, path: string): readonly XmlElement[] {
  return path
    .split('/')
    .reduce<readonly XmlElement[]>(
      (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    );
}

/** The text of the first element at the end of a path that has one. */
export function textAt(element: XmlElement, path: string): string | null {
  return elementsAt(element, path).find(({ text }) => text !== '')?.text ?? null;
}

/** One element with its content: a text, or the elements that are not null. */
export function xml(
  name: string,
  content: string | readonly (string | null)[],
  attributes: Readonly<Record<string, string>> = {},
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inside =
    typeof content === 'string' ? escaped(content) : content.filter((one) => one !== null).join('');
  return `<${name}${written.join('')}>${inside}</${name}>`;
}

/** XML 1.0 has no place for control characters; none get here, for texts are SEPA's. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
