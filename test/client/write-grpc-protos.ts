import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as prettier from 'prettier';
import { grpcProtos } from './grpc-protos.js';

const root = resolve(import.meta.dirname, '../../..');
const file = resolve(root, 'packages/client/src/grpc-protos.ts');
const heading = `/**
 * Written from proto/ by \`npm run client:types\`; do not edit.
 */
`;

const text = `${heading}export const protos = ${JSON.stringify(grpcProtos(root))};`;
writeFileSync(
  file,
  await prettier.format(text, { ...(await prettier.resolveConfig(file)), parser: 'typescript' }),
);
