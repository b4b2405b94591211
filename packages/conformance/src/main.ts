#!/usr/bin/env node
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { pspNames, samples, startSimulator } from '@payonce/simulator';
import { sumOf, tableOf } from './report.js';
import { broken, type Outcome, runTrial } from './run.js';
import { type Target } from './target.js';
import { trialsAt } from './trials.js';

const HELP = `payonce-conformance --target <module> [--psp ${pspNames.join('|')}] [--only <text>] [--json]

Makes a PSP fail in 40 ways under what the module exports as \`target\`, and counts what happened at the PSPs.
Ends with exit code 1 where anything was done twice, lost or hidden.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      psp: { type: 'string', default: 'stripe' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const psp = pspNames.find((name) => name === values.psp);
  if (values.help || values.target === undefined || psp === undefined) {
    process.stdout.write(`${HELP}\n`);
    return values.help ? 0 : 2;
  }
  const { currency, decline, method } = samples[psp];
  const module = (await import(pathToFileURL(resolve(values.target)).href)) as { target?: Target };
  const { target } = module;
  if (target === undefined) throw new Error(`${values.target} exports no target`);
  const simulator = await startSimulator();
  const outcomes: Outcome[] = [];
  try {
    await target.start(simulator.urls);
    const trials = trialsAt(decline).filter(
      ({ name, operation }) =>
        `${operation} ${name}`.includes(values.only) && (method === undefined || operation !== 'capture'),
    );
    for (const trial of trials) {
      const outcome = await runTrial(target, simulator, trial, { psp, currency });
      outcomes.push(outcome);
      if (!values.json)
        process.stderr.write(process.stderr.isTTY ? `\r${outcomes.length} of ${trials.length}` : '');
    }
  } finally {
    await target.stop();
    await simulator.close();
  }
  if (values.json) process.stdout.write(`${JSON.stringify(outcomes)}\n`);
  else process.stdout.write(`${tableOf(outcomes)}\n\n${sumOf(outcomes)}\n`);
  return outcomes.some(({ verdict }) => broken.has(verdict)) ? 1 : 0;
}

process.exitCode = await main();
