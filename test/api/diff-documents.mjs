// Says what differs between two OpenAPI documents, operation by operation, with every $ref followed: a schema that
// moved into a component, or out of one, is no difference. `node test/api/diff-documents.mjs old.json new.json`
import { readFileSync } from 'node:fs';

const [before, after] = process.argv.slice(2, 4).map((file) => JSON.parse(readFileSync(file, 'utf8')));

function followed(document, node, within = []) {
  if (Array.isArray(node)) return node.map((item) => followed(document, item, within));
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string' && !within.includes(node.$ref)) {
    const target = node.$ref
      .slice(2)
      .split('/')
      .reduce((at, step) => at?.[step], document);
    if (target === undefined) throw new Error(`nothing at ${node.$ref}`);
    const { $ref, ...beside } = node;
    return followed(document, { ...target, ...beside }, [...within, $ref]);
  }
  // `allOf` of one is how a description stands beside a reference.
  if (Array.isArray(node.allOf) && node.allOf.length === 1) {
    const { allOf, ...beside } = node;
    return followed(document, { ...followed(document, allOf[0], within), ...beside }, within);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, followed(document, value, within)]),
  );
}

/** Parameters, required fields and tags mean the same in any order. */
function inOrder(key, list) {
  if (key === 'parameters') return Object.fromEntries(list.map((each) => [`${each.in} ${each.name}`, each]));
  return ['required', 'tags', 'enum', 'type'].includes(key) && list.every((item) => typeof item !== 'object')
    ? list.toSorted()
    : list;
}

function* differences(old, now, at, key = '') {
  if (Array.isArray(old) && Array.isArray(now)) {
    old = inOrder(key, old);
    now = inOrder(key, now);
  }
  const isNode = (value) => typeof value === 'object' && value !== null;
  if (!isNode(old) || !isNode(now)) {
    if (old !== now) yield `${at}: ${short(old)} -> ${short(now)}`;
    return;
  }
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    yield* differences(old[name], now[name], `${at} / ${name}`, name);
  }
}

const short = (value) => (JSON.stringify(value) ?? 'nothing').slice(0, 160);

let count = 0;
function compare(name, old, now) {
  for (const line of differences(old, now, name)) {
    count++;
    console.log(line);
  }
}

const operationsOf = ({ paths }) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
const [olds, nows] = [operationsOf(before), operationsOf(after)];
for (const name of new Set([...Object.keys(olds), ...Object.keys(nows)])) {
  compare(name, followed(before, olds[name]), followed(after, nows[name]));
}
for (const part of ['info', 'tags', 'servers', 'openapi']) compare(part, before[part], after[part]);
for (const part of ['schemas', 'securitySchemes']) {
  const old = before.components[part];
  const now = after.components[part];
  for (const name of Object.keys(old)) {
    compare(`${part} ${name}`, followed(before, old[name]), now[name] && followed(after, now[name]));
  }
}
console.log(`${count} differences in ${Object.keys(olds).length} operations`);
process.exitCode = count > 0 ? 1 : 0;
