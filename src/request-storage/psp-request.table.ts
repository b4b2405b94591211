import { type Table, tableOf } from '../core/table.js';
import {
  type NonExecutionProof,
  type OrphanEffect,
  type PspAttempt,
  type PspRequest,
} from './psp-request.entity.js';

/** THE RULE, as the in-memory store holds it; in Postgres it is a partial unique index. */
const oneLiveRoute = {
  name: 'psp_requests_one_live_route',
  columns: ['merchantId', 'entityKey'],
  where: (row: Readonly<Record<string, unknown>>) => row['verdict'] !== 'ruled_out',
};

export const pspRequests: Table<PspRequest> = tableOf('psp_requests', ['merchantId', 'entityKey', 'route'], {
  defaults: { accountFingerprint: null, stuckReason: null, firstStuckAt: null },
  uniques: [
    oneLiveRoute,
    { name: 'psp_requests_psp_idempotency_key', columns: ['merchantId', 'pspIdempotencyKey'] },
  ],
  references: [
    {
      name: 'psp_requests_rests_on_proof',
      columns: ['merchantId', 'entityKey', 'restsOnRoute'],
      to: () => nonExecutionProofs,
    },
  ],
  checks: [
    {
      name: 'psp_requests_needs_proof',
      holds: ({ route, restsOnRoute }) => restsOnRoute === (route === 1 ? null : (route as number) - 1),
    },
    {
      name: 'psp_requests_one_subject',
      holds: ({ paymentId, payoutId }) => (paymentId === null) !== (payoutId === null),
    },
    {
      name: 'psp_requests_has_next_step',
      holds: ({ verdict, decidedAt, nextStepAt, stuckAt, leasedBy }) =>
        verdict === 'open'
          ? decidedAt === null && (nextStepAt === null) !== (stuckAt === null)
          : decidedAt !== null && nextStepAt === null && stuckAt === null && leasedBy === null,
    },
  ],
});

export const pspAttempts: Table<PspAttempt> = tableOf(
  'psp_attempts',
  ['merchantId', 'entityKey', 'route', 'attempt'],
  {
    references: [
      { name: 'psp_attempts_of_route', columns: ['merchantId', 'entityKey', 'route'], to: () => pspRequests },
    ],
  },
);

export const nonExecutionProofs: Table<NonExecutionProof> = tableOf(
  'non_execution_proofs',
  ['merchantId', 'entityKey', 'route'],
  {
    references: [
      {
        name: 'non_execution_proofs_from_attempt',
        columns: ['merchantId', 'entityKey', 'route', 'attempt'],
        to: () => pspAttempts,
      },
    ],
  },
);

export const orphanEffects: Table<OrphanEffect> = tableOf(
  'orphan_effects',
  ['merchantId', 'entityKey', 'route', 'object'],
  {
    uniques: [
      {
        name: 'orphan_effects_each_object_once',
        columns: ['merchantId', 'entityKey', 'route', 'pspReference'],
      },
    ],
    references: [
      {
        name: 'orphan_effects_from_attempt',
        columns: ['merchantId', 'entityKey', 'route', 'attempt'],
        to: () => pspAttempts,
      },
    ],
  },
);
