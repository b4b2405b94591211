import { type Command } from 'commander';
import { type InstallationStatus } from '../database/installation-status.js';
import { VERSION } from '../core/version.js';
import { command, type RunCommand } from './command.js';
import { ago, detailLines } from './text.js';

export function addStatus(payonce: Command, perform: RunCommand): void {
  command(payonce, 'status', 'show the installation and what waits for a person', '', '--json').action(() =>
    perform(async ({ database, clock, place }) => {
      const { readStatus } = await import('../database/installation-status.js');
      const { schema, server, processes, hold, failoverHeldUntil, ...waiting } = await readStatus(
        database.pool,
      );
      const differenceMs = Math.round(clock.differenceMs() ?? 0);
      const { oldestOpenRoute, ...figures } = waiting;
      return {
        json: {
          version: VERSION,
          installation: place,
          schema,
          postgres: server,
          clock_difference_ms: differenceMs,
          processes,
          hold,
          failover_held_until: failoverHeldUntil,
          waiting: {
            ...Object.fromEntries(
              Object.entries(figures).map(([name, figure]) => [
                name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
                figure,
              ]),
            ),
            oldest_open_route: oldestOpenRoute,
          },
        },
        text: [
          `Payonce ${VERSION}`,
          ...detailLines([
            ['installation', place],
            ['Postgres', server],
            ['schema', `${schema}, up to date`],
            ['clock', clockText(differenceMs)],
            ['processes', processes === 0 ? 'none seen' : `${processes} alive`],
            ...(hold === 'none' ? [] : [['held', heldText(failoverHeldUntil)] as const]),
          ]),
          '',
          'Needs a person',
          ...detailLines([
            ['stuck operations', figureText(waiting.stuckRoutes, 'stuck list')],
            ['orphan effects', figureText(waiting.orphanEffects, 'orphans list')],
            ['breaks', figureText(waiting.breaks, 'breaks list')],
            ['dead letters', figureText(waiting.deadLetters, 'dlq list')],
          ]),
          '',
          'In progress, without a person',
          ...detailLines(goingOn(waiting, clock.now())),
        ].join('\n'),
      };
    }),
  );
}

function goingOn(
  waiting: Omit<InstallationStatus, 'schema' | 'server' | 'processes' | 'hold' | 'failoverHeldUntil'>,
  now: Date,
): [string, string][] {
  const oldest = waiting.oldestOpenRoute;
  return [
    ['open routes', `${waiting.openRoutes}${oldest ? `, the oldest opened ${ago(oldest, now)}` : ''}`],
    ['unfinished keys', String(waiting.unfinishedKeys)],
    ['notifications to apply', String(waiting.notificationsToApply)],
    ['events to fan out', String(waiting.eventsToFanOut)],
    ['deliveries', String(waiting.deliveries)],
    ['jobs in the outbox', String(waiting.outbox)],
  ];
}

function figureText(figure: number, list: string): string {
  return figure === 0 ? '0' : `${figure}, see: npx payonce ${list}`;
}

function heldText(until: Date | null): string {
  return until
    ? `failover, until ${until.toISOString().slice(0, 16)}Z: commits were lost`
    : 'operations of several PSPs, see: npx payonce failover status';
}

function clockText(differenceMs: number): string {
  const apart = Math.abs(differenceMs);
  if (apart < 1) return 'agrees with the database';
  return `${apart} ms ${differenceMs > 0 ? 'ahead of' : 'behind'} the database`;
}
