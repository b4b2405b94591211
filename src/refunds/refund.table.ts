import { type Table, tableOf } from '../core/table.js';
import { type Refund } from './refund.entity.js';

export const refunds: Table<Refund> = tableOf('refunds', ['merchantId', 'entityKey'], {
  defaults: { isTest: null },
});
