import { type Table, tableOf } from '../core/table.js';
import { type NonExecutionProof, type OrphanEffect, type PspAttempt, type Route } from './route.entity.js';

export const pspRequests: Table<Route> = tableOf('psp_requests', ['merchantId', 'entityKey', 'route'], {
  defaults: { accountFingerprint: null, stuckReason: null, firstStuckAt: null, hintedAt: null },
});

export const pspAttempts: Table<PspAttempt> = tableOf('psp_attempts', [
  'merchantId',
  'entityKey',
  'route',
  'attempt',
]);

export const nonExecutionProofs: Table<NonExecutionProof> = tableOf('non_execution_proofs', [
  'merchantId',
  'entityKey',
  'route',
]);

export const orphanEffects: Table<OrphanEffect> = tableOf('orphan_effects', [
  'merchantId',
  'entityKey',
  'route',
  'object',
]);
