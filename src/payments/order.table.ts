import { type Table, tableOf } from '../core/table.js';
import { type Order } from './order.entity.js';

export const orders: Table<Order> = tableOf('orders', ['merchantId', 'reference']);
