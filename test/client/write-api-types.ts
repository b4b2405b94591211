import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import * as prettier from 'prettier';
import { openApiDocument } from '../../src/openapi.js';

/**
 * Writes the client's types from the OpenAPI document that the service builds itself, or with
 * `--check` only says which of the files are not what the document says now. Runs compiled, from dist/.
 */
const root = resolve(import.meta.dirname, '../../..');

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    file: { type: 'string', multiple: true, default: [resolve(root, 'packages/client/src/api-types.ts')] },
  },
});

const heading = `/**
 * Written from the OpenAPI document of the service by \`npm run client:types\`; do not edit.
 */
`;

async function generated(): Promise<string> {
  const types = await openapiTS(Buffer.from(JSON.stringify(await openApiDocument('0.0.0'))), {
    // A default is what the service takes for a field that was left out: a request may leave it out.
    defaultNonNullable: false,
    alphabetize: true,
    immutable: true,
  });
  const config = await prettier.resolveConfig(resolve(root, 'packages/client/src/api-types.ts'));
  return prettier.format(heading + astToString(types), { ...config, parser: 'typescript' });
}

const text = await generated();
for (const file of values.file) {
  const shown = relative(root, file);
  if (!values.check) {
    writeFileSync(file, text);
    console.log(`${shown}: ${text.split('\n').length} lines`);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${shown} is not what the OpenAPI document says now: run npm run client:types`);
    process.exitCode = 1;
  }
}
