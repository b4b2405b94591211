/**
 * `npm run licences`: reads the packages that an installation has from npm's SBOM, and ends with 1 where one
 * has a licence that is not on the list. A licence that asks nothing of a closed program but its own text may
 * be added; one that asks for sources (GPL, AGPL, SSPL) may not.
 */
import { execFileSync } from 'node:child_process';

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Packages that declare their licence in a form that npm does not read, and what stands in their sources. */
const READ_BY_HAND = new Map([
  ['nub@0.0.0', 'MIT'],
  ['ssh2@1.17.0', 'MIT'],
  ['cpu-features@0.0.10', 'MIT'],
  ['buildcheck@0.0.7', 'MIT'],
]);

const sbom = JSON.parse(
  execFileSync('npm', ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);

const licencesOf = (component) =>
  component.licenses?.map(({ license, expression }) => license?.id ?? license?.name ?? expression) ?? [
    READ_BY_HAND.get(component['bom-ref']),
  ];

const isOurs = (component) => component['bom-ref'].startsWith('@payonce/');
const components = sbom.components.filter((component) => !isOurs(component));
const refused = components.filter(
  (component) => !licencesOf(component).every((licence) => ALLOWED.has(licence)),
);
for (const component of refused) {
  console.error(
    `${component['bom-ref']}: ${licencesOf(component).join(', ') || 'no licence'} is not allowed`,
  );
}
console.log(`${components.length} packages, ${refused.length} with a licence that is not allowed`);
process.exit(refused.length === 0 ? 0 : 1);
