/**
 * Loaded before the service (`node --require`): compiles dist/src/main.cjs from the code that V8 kept at an
 * earlier start, which spares a third of what a start costs. The first start of a build keeps it.
 */
const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { constants, Script } = require('node:vm');

const main = path.resolve(__dirname, '../../dist/src/main.cjs');
const folder = path.resolve(__dirname, '../../.cache/service');
/** By then a start has compiled what a start needs. */
const KEPT_AFTER_MS = 3_000;

const seam = '_compile';
const compile = Module.prototype[seam];
Module.prototype[seam] = function compileMain(content, filename) {
  if (filename !== main) return compile.call(this, content, filename);
  // V8 compares no more than the length of the source.
  const file = path.join(folder, `${process.version}-${statSync(main).mtimeMs}`);
  const script = new Script(Module.wrap(content), {
    filename,
    cachedData: kept(file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (script.cachedDataRejected !== false) setTimeout(keep, KEPT_AFTER_MS, script, file).unref();
  const require = Module.createRequire(filename);
  return script
    .runInThisContext()
    .call(this.exports, this.exports, require, this, filename, path.dirname(main));
};

function kept(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(script, file) {
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, file);
  } catch {
    // A start as another user, who may not write here: it costs more, that is all.
  }
}
