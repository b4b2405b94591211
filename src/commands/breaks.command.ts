import { type Command } from 'commander';
import {
  type BreakActor,
  type BreakNotification,
  type Breaks,
  type ReconciliationBreak,
} from '../reconciliation/breaks.js';
import { Problem } from '../core/problem.js';
import {
  actor,
  command,
  noteOf,
  type OpenInstallation,
  type Outcome,
  type RunCommand,
  withExamples,
} from './command.js';
import { ago, detailLines, exactly, list } from './text.js';

const ID = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';

export function addBreaks(payonce: Command, perform: RunCommand): void {
  const breaks = withExamples(
    payonce.command('breaks').description('list and resolve reconciliation breaks (docs/runbooks/break.md)'),
    'list',
  );
  command(breaks, 'list', 'list open breaks, the oldest first', '', '--json').action(() =>
    perform(async (opened) => {
      const [found, json, details] = await Promise.all([
        (await breaksOf(opened)).list(),
        jsonOf(),
        detailsOf(),
      ]);
      const now = opened.clock.now();
      return {
        json: found.map(json),
        text: list(
          found,
          {
            FOUND: ({ openedAt }) => ago(openedAt, now),
            REASON: ({ category }) => category,
            PSP: ({ psp }) => psp,
            OWNER: ({ owner }) => owner ?? 'none',
          },
          details,
        ),
      };
    }),
  );
  command(breaks, 'show <id>', 'show a break and what was noted about it', ID).action((id: string) =>
    perform(async (opened) => {
      const { found, notes } = await (await breaksOf(opened)).show({ id });
      const [json, details] = await Promise.all([jsonOf(), detailsOf()]);
      const now = opened.clock.now();
      const state =
        found.closedAt === null
          ? [['owner', found.owner ?? 'none'] as const]
          : [
              ['closed', `${exactly(found.closedAt, now)}, by ${found.closedBy}`] as const,
              ['because', found.resolution ?? ''] as const,
            ];
      return {
        json: { ...json(found), notes: notes.map(({ id: noteId, ...note }) => ({ id: noteId, ...note })) },
        text: [
          `${found.category} at ${found.psp}, found ${exactly(found.openedAt, now)}`,
          ...detailLines([...details(found), ...state]),
          ...notes.map(({ at, by, note }) => `\n${exactly(at, now)}, ${by}:\n${note}`),
        ].join('\n'),
      };
    }),
  );
  command(breaks, 'assign <id>', 'say who looks after a break', `${ID} --to ada`)
    .option('--to <name>', 'who; without it no one does')
    .action((id: string, { to }: { to?: string }) =>
      perform(async (opened) => {
        const after = await (await breaksOf(opened)).assign({ id }, to ?? null, byOf(opened));
        return acted(after, to === undefined ? 'No one looks after it' : `${to} looks after it`);
      }),
    );
  command(breaks, 'note <id>', 'write down what you found so far', `${ID} --note "asked the PSP"`)
    .requiredOption('--note <text>', 'up to 500 characters')
    .action((id: string, { note }: { note: string }) =>
      perform(async (opened) => {
        const text = await noteOf('--note', note, opened);
        return acted(await (await breaksOf(opened)).note({ id }, text, byOf(opened)), 'Noted');
      }),
    );
  command(breaks, 'close <id>', 'close a break with a note; changes no payment', `${ID} --note "a test"`)
    .requiredOption('--note <text>', 'what you found and did, up to 500 characters')
    .action((id: string, { note }: { note: string }) =>
      perform(async (opened) => {
        const text = await noteOf('--note', note, opened);
        return acted(await (await breaksOf(opened)).close({ id }, text, byOf(opened)), 'Closed');
      }),
    );
  command(
    breaks,
    'resolve',
    'close a break by its PSP and the id of its notification; changes no payment',
    '--psp stripe --event evt_1 --note "refunded in the dashboard"',
    `--psp stripe --break ${ID} --note "a test in the dashboard"`,
  )
    .requiredOption('--psp <account>', 'the PSP account, as in the list')
    .option('--event <id>', 'the id of the notification, as in the list')
    .option('--break <id>', 'the id of the break, as in the list')
    .requiredOption('--note <text>', 'what you found and did, up to 500 characters')
    .action(
      ({ psp, event, break: id, note }: { psp: string; event?: string; break?: string; note: string }) =>
        perform(async (opened) => {
          const text = await noteOf('--note', note, opened);
          if ((event === undefined) === (id === undefined)) {
            const message = 'Name the break: --event of a notification, or --break of a report.';
            throw new Problem('validation_failed', message);
          }
          const which = event === undefined ? { psp, id: id! } : { psp, eventId: event };
          return acted(await (await breaksOf(opened)).close(which, text, byOf(opened)), 'Resolved');
        }),
    );
}

async function breaksOf({ database, clock }: OpenInstallation): Promise<Breaks> {
  const { Breaks } = await import('../reconciliation/breaks.js');
  return new Breaks(database.dataSource, clock);
}

function byOf({ ids, clock }: OpenInstallation): BreakActor {
  return { actor: actor(), auditId: ids.uuid(), at: clock.now() };
}

async function acted(after: ReconciliationBreak, did: string): Promise<Outcome> {
  return { json: (await jsonOf())(after), text: `${did}: ${after.category} at ${after.psp}.` };
}

type Details = readonly (readonly [name: string, value: string])[];

async function detailsOf(): Promise<(found: ReconciliationBreak) => Details> {
  const { formatMoney } = await import('../core/money.js');
  return ({ currency, expected, reported, notification, entityKey, pspReference, runId, line, id }) => {
    const money = (name: string, amount: number | null): Details =>
      amount === null || currency === null ? [] : [[name, formatMoney({ amount, currency })]];
    return [
      ...(notification === null ? [] : [['type', notification.type] as const]),
      ...money('expected', expected),
      ...money('reported', reported),
      ['operation', entityKey ?? 'not named'],
      ['PSP reference', pspReference ?? 'none'],
      notification === null
        ? ['run', line === null ? `${runId}` : `${runId}, line ${line}`]
        : ['event', notification.eventId],
      ['break', id],
    ];
  };
}

/** The break as the API shows it, with the words of the notification. */
async function jsonOf(): Promise<(found: ReconciliationBreak) => object> {
  const { breakViewOf } = await import('../reconciliation/reconciliation.view.js');
  return (found) =>
    Object.assign(
      {},
      breakViewOf(found),
      found.notification === null ? {} : saidBy(found.notification, found.category),
    );
}

function saidBy({ facts, taken, ...said }: BreakNotification, reason: string): object {
  return {
    type: said.type,
    reason,
    facts: facts.map((fact, index) => ({
      taken: taken[index] ?? null,
      entity_key: fact.entityKey,
      route: fact.route,
      operation: fact.operation,
      about: fact.about,
      psp_reference: fact.pspReference,
      parent_reference: fact.parentReference,
      outcome: fact.answer.outcome,
      psp_code: fact.answer.pspCode ?? null,
      money: fact.answer.money ?? null,
    })),
    trace_id: said.traceId,
    occurred_at: said.occurredAt,
    received_at: said.receivedAt,
  };
}
