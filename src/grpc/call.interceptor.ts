import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Metadata } from '@grpc/grpc-js';
import { finalize, Observable } from 'rxjs';
import { callOf } from './call.js';

/** A call that is handled keeps its place in flight until the handler ends, also after the client has left. */
@Injectable()
export class CallInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const call = callOf(context.switchToRpc().getContext<Metadata>());
    call.isHandled = true;
    const { span } = call;
    const handled = span
      ? new Observable((subscriber) => span.run(() => next.handle().subscribe(subscriber)))
      : next.handle();
    return handled.pipe(finalize(() => call.release?.()));
  }
}
