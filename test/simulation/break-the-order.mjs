// Breaks the rule of orders on purpose, to see the simulation notice: a payment in doubt stands in nobody's way, and the
// order counts the last payment alone, so that its row in the database refuses nothing.
import { breakLines } from './breaking.mjs';

breakLines(
  '/payments/order-rules.js',
  ['if (open.length > 0 && (!inParts || amount > amountDue - order.amountLive)) {', 'if (false) {'],
  ['amountLive: amountLive + amount', 'amountLive: amount'],
);
