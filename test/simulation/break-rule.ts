/** Loaded before the simulation (`--import`): breaks the rule that BROKEN_RULE names, in this process alone. */
import { register } from 'node:module';
import type { LoadHook } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { broken, brokenRules } from './broken-rules.js';

// Node's hooks run in a thread of their own, which loads this file, too.
if (isMainThread) register(import.meta.url);

const broke = brokenRules.find(({ rule }) => rule === process.env['BROKEN_RULE']);
if (!broke) throw new Error(`no rule is called "${process.env['BROKEN_RULE']}"`);

export const load: LoadHook = async (url, context, next) => {
  const loaded = await next(url, context);
  if (!url.endsWith(`/dist/${broke.file}`)) return loaded;
  return { ...loaded, source: broken(broke, Buffer.from(loaded.source as Uint8Array).toString('utf8')) };
};
