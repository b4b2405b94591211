import { type Command } from 'commander';
import { Problem } from '../kernel/index.js';
import { type Break, Breaks } from '../webhooks/index.js';
import { ACTOR, command, type Perform } from './command.js';
import { table, when } from './table.js';

export function addBreaks(payonce: Command, perform: Perform): void {
  const breaks = payonce
    .command('breaks')
    .description("PSPs' notifications that our books do not bear out (docs/runbooks/break.md)");
  command(breaks, 'list', 'list those that wait for a person, the oldest first').action(() =>
    perform(async ({ database, clock }) => {
      const found = await new Breaks(database.pool, clock).list();
      return {
        json: found.map(breakJson),
        text: table(
          ['SINCE', 'REASON', 'PSP', 'TYPE', 'OPERATION', 'EVENT'],
          found.map((each) => [
            when(each.decidedAt),
            each.reason,
            each.psp,
            each.type,
            each.entityKey ?? 'not named',
            each.eventId,
          ]),
        ),
      };
    }),
  );
  command(breaks, 'resolve', 'write down what was found out; changes no payment')
    .requiredOption('--psp <account>', 'the account at the PSP, as listed')
    .requiredOption('--event <id>', 'which notification, as listed')
    .requiredOption('--note <text>', 'what was found and done, up to 500 characters')
    .action(({ psp, event, note }: { psp: string; event: string; note: string }) =>
      perform(async ({ database, clock, ids, holdsCardNumber }) => {
        if (await holdsCardNumber(note)) {
          throw new Problem('card_number_refused', 'The note holds what looks like a card number.');
        }
        const by = { actor: ACTOR, auditId: ids.uuid() };
        const resolved = await new Breaks(database.pool, clock).resolve(psp, event, note, by);
        return {
          json: breakJson(resolved),
          text: `Resolved: ${resolved.reason} of ${resolved.type} at ${resolved.psp}.`,
        };
      }),
    );
}

function breakJson(found: Break): object {
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
