import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { OrdersController } from './orders.controller.js';
import { OrdersGrpc } from './orders.grpc.js';
import { OrdersService } from './orders.service.js';

/** Orders, for reading. Payments make and change them, in their own commits. */
@Module({
  imports: [DatabaseModule],
  controllers: [OrdersController, OrdersGrpc],
  providers: [OrdersService],
})
export class OrdersModule {}
