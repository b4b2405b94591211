import { type Command } from 'commander';
import { type ReportBreaks } from '../reconciliation/report-breaks.js';
import { Problem } from '../core/problem.js';
import {
  type ReconciliationBreak,
  type ReconciliationBreaks,
} from '../webhooks/incoming/reconciliation-breaks.js';
import { actor, command, type Opened, type Perform, withExamples } from './command.js';
import { ago, list } from './text.js';

export function addBreaks(payonce: Command, perform: Perform): void {
  const breaks = withExamples(
    payonce
      .command('breaks')
      .description('resolve notifications of PSPs that contradict our records (docs/runbooks/break.md)'),
    'list',
  );
  command(breaks, 'list', 'list breaks that wait for a person, the oldest first', '', '--json').action(() =>
    perform(async (opened) => {
      const [found, reported, { formatMoney }, { breakViewOf }] = await Promise.all([
        (await breaksOf(opened)).list(),
        (await reportBreaksOf(opened)).list(),
        import('../core/money.js'),
        import('../reconciliation/reconciliation.view.js'),
      ]);
      const now = opened.clock.now();
      const notifications = found.map((each) => ({
        cells: [ago(each.decidedAt, now), each.reason, each.psp],
        details: [
          ['type', each.type],
          ['operation', each.entityKey ?? 'not named'],
          ['event', each.eventId],
        ] as const,
      }));
      const reports = reported.map(({ currency, ...each }) => ({
        cells: [ago(each.openedAt, now), each.category, each.psp],
        details: [
          ['expected', formatMoney({ amount: each.expected, currency })],
          ['reported', formatMoney({ amount: each.reported, currency })],
          ['operation', each.entityKey ?? 'not named'],
          ['PSP reference', each.pspReference ?? 'none'],
          ['run', each.line === null ? each.runId : `${each.runId}, line ${each.line}`],
          ['break', each.id],
        ] as const,
      }));
      return {
        json: [...found.map(breakJson), ...reported.map(breakViewOf)],
        text: list(['FOUND', 'REASON', 'PSP'], [...notifications, ...reports]),
      };
    }),
  );
  command(
    breaks,
    'resolve',
    'close a break with a note; changes no payment',
    '--psp stripe --event evt_1 --note "refunded in the dashboard"',
    '--psp stripe --break 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42 --note "a test in the dashboard"',
  )
    .requiredOption('--psp <account>', 'the PSP account, as in the list')
    .option('--event <id>', 'the id of the notification, as in the list')
    .option('--break <id>', 'the id of the break, as in the list')
    .requiredOption('--note <text>', 'what you found and did, up to 500 characters')
    .action(
      ({ psp, event, break: id, note }: { psp: string; event?: string; break?: string; note: string }) =>
        perform(async (opened) => {
          if (await opened.holdsCardNumber(note)) {
            throw new Problem('card_number_refused', 'The note holds what looks like a card number.');
          }
          if ((event === undefined) === (id === undefined)) {
            const message = 'Name the break: --event of a notification, or --break of a report.';
            throw new Problem('validation_failed', message);
          }
          if (event === undefined) {
            const by = { actor: actor(), auditId: opened.ids.uuid(), at: opened.clock.now(), note };
            const closed = await (await reportBreaksOf(opened)).close(psp, id!, by);
            const { breakViewOf } = await import('../reconciliation/reconciliation.view.js');
            return { json: breakViewOf(closed), text: `Resolved: ${closed.category} at ${psp}.` };
          }
          const by = { actor: actor(), auditId: opened.ids.uuid() };
          const resolved = await (await breaksOf(opened)).resolve(psp, event, note, by);
          return {
            json: breakJson(resolved),
            text: `Resolved: ${resolved.reason} of ${resolved.type} at ${resolved.psp}.`,
          };
        }),
    );
}

async function breaksOf({ database, clock }: Opened): Promise<ReconciliationBreaks> {
  const [{ ReconciliationBreaks }, { InboxEntry }] = await Promise.all([
    import('../webhooks/incoming/reconciliation-breaks.js'),
    import('../webhooks/incoming/inbox-entry.entity.js'),
  ]);
  return new ReconciliationBreaks(database.dataSource.getRepository(InboxEntry), clock);
}

async function reportBreaksOf({ database }: Opened): Promise<ReportBreaks> {
  const { ReportBreaks } = await import('../reconciliation/report-breaks.js');
  return new ReportBreaks(database.dataSource);
}

function breakJson(found: ReconciliationBreak): object {
  const { eventId, entityKey, traceId, occurredAt, receivedAt, decidedAt, resolvedAt, ...rest } = found;
  return {
    psp: rest.psp,
    event_id: eventId,
    type: rest.type,
    reason: rest.reason,
    entity_key: entityKey,
    facts: rest.facts.map((fact, index) => ({
      taken: rest.taken[index] ?? null,
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
    trace_id: traceId,
    occurred_at: occurredAt,
    received_at: receivedAt,
    since: decidedAt,
    resolved_at: resolvedAt,
    resolution: rest.resolution,
  };
}
