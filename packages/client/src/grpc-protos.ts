/**
 * Written from proto/ by `npm run client:types`; do not edit.
 */
export const protos = {
  nested: {
    payonce: {
      nested: {
        v1: {
          nested: {
            Events: {
              methods: {
                List: { requestType: 'EventsListRequest', responseType: 'EventsListResponse' },
                Get: { requestType: 'EventsGetRequest', responseType: 'EventsGetResponse' },
                ListDeliveries: {
                  requestType: 'EventsListDeliveriesRequest',
                  responseType: 'EventsListDeliveriesResponse',
                },
                Replay: { requestType: 'EventsReplayRequest', responseType: 'EventsReplayResponse' },
              },
            },
            DeliveryStatus: {
              values: {
                DELIVERY_STATUS_UNSPECIFIED: 0,
                DELIVERY_STATUS_PENDING: 1,
                DELIVERY_STATUS_DELIVERED: 2,
                DELIVERY_STATUS_EXHAUSTED: 3,
                DELIVERY_STATUS_CANCELED: 4,
              },
            },
            Delivery: {
              oneofs: { _next_attempt_at: { oneof: ['next_attempt_at'] } },
              fields: {
                event_id: { type: 'string', id: 1 },
                endpoint_id: { type: 'string', id: 2 },
                status: { type: 'DeliveryStatus', id: 3 },
                next_attempt_at: {
                  type: 'google.protobuf.Timestamp',
                  id: 4,
                  options: { proto3_optional: true },
                },
                attempts: { rule: 'repeated', type: 'DeliveryAttempt', id: 5 },
              },
            },
            DeliveryAttempt: {
              oneofs: {
                _http_status: { oneof: ['http_status'] },
                _error_code: { oneof: ['error_code'] },
                _latency_ms: { oneof: ['latency_ms'] },
              },
              fields: {
                attempt: { type: 'int32', id: 1 },
                started_at: { type: 'google.protobuf.Timestamp', id: 2 },
                http_status: { type: 'int32', id: 3, options: { proto3_optional: true } },
                error_code: { type: 'string', id: 4, options: { proto3_optional: true } },
                latency_ms: { type: 'int32', id: 5, options: { proto3_optional: true } },
              },
            },
            EventsListDeliveriesRequest: { fields: { id: { type: 'string', id: 1 } } },
            EventsListDeliveriesResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Delivery', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            EventsReplayRequest: {
              oneofs: { _endpoint_id: { oneof: ['endpoint_id'] } },
              fields: {
                id: { type: 'string', id: 1 },
                endpoint_id: { type: 'string', id: 2, options: { proto3_optional: true } },
              },
            },
            EventsReplayResponse: { fields: { deliveries: { type: 'int32', id: 1 } } },
            Event: {
              fields: {
                id: { type: 'string', id: 1 },
                type: { type: 'string', id: 2 },
                timestamp: { type: 'google.protobuf.Timestamp', id: 3 },
                data: { type: 'google.protobuf.Struct', id: 4 },
                test: { type: 'bool', id: 5 },
              },
            },
            EventsGetRequest: { fields: { id: { type: 'string', id: 1 } } },
            EventsGetResponse: { fields: { event: { type: 'Event', id: 1 } } },
            EventsListRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _type: { oneof: ['type'] },
                _created_gte: { oneof: ['created_gte'] },
                _created_lte: { oneof: ['created_lte'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                type: { type: 'string', id: 3, options: { proto3_optional: true } },
                created_gte: { type: 'google.protobuf.Timestamp', id: 4, options: { proto3_optional: true } },
                created_lte: { type: 'google.protobuf.Timestamp', id: 5, options: { proto3_optional: true } },
              },
            },
            EventsListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Event', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            Orders: {
              methods: {
                Get: { requestType: 'OrdersGetRequest', responseType: 'OrdersGetResponse' },
                List: { requestType: 'OrdersListRequest', responseType: 'OrdersListResponse' },
              },
            },
            OrderStatus: {
              values: {
                ORDER_STATUS_UNSPECIFIED: 0,
                ORDER_STATUS_OPEN: 1,
                ORDER_STATUS_PENDING: 2,
                ORDER_STATUS_PAID: 3,
                ORDER_STATUS_OVERPAID: 4,
              },
            },
            NotCounted: {
              values: { NOT_COUNTED_UNSPECIFIED: 0, NOT_COUNTED_TOOK_NOTHING: 1, NOT_COUNTED_GIVEN_BACK: 2 },
            },
            OrphanStatus: {
              values: {
                ORPHAN_STATUS_UNSPECIFIED: 0,
                ORPHAN_STATUS_OPEN: 1,
                ORPHAN_STATUS_APPROVED: 2,
                ORPHAN_STATUS_COMPENSATING: 3,
                ORPHAN_STATUS_COMPENSATED: 4,
                ORPHAN_STATUS_FAILED: 5,
                ORPHAN_STATUS_CLOSED: 6,
              },
            },
            Order: {
              fields: {
                id: { type: 'string', id: 1 },
                reference: { type: 'string', id: 2 },
                status: { type: 'OrderStatus', id: 3 },
                entity_key: { type: 'string', id: 4 },
                currency: { type: 'string', id: 5 },
                parts: { type: 'bool', id: 6 },
                amount_due: { type: 'int64', id: 7 },
                amount_live: { type: 'int64', id: 8 },
                amount_paid: { type: 'int64', id: 9 },
                amount_overpaid: { type: 'int64', id: 10 },
                created_at: { type: 'google.protobuf.Timestamp', id: 11 },
                updated_at: { type: 'google.protobuf.Timestamp', id: 12 },
              },
            },
            OrderDetails: {
              fields: {
                id: { type: 'string', id: 1 },
                reference: { type: 'string', id: 2 },
                status: { type: 'OrderStatus', id: 3 },
                entity_key: { type: 'string', id: 4 },
                currency: { type: 'string', id: 5 },
                parts: { type: 'bool', id: 6 },
                amount_due: { type: 'int64', id: 7 },
                amount_live: { type: 'int64', id: 8 },
                amount_paid: { type: 'int64', id: 9 },
                amount_overpaid: { type: 'int64', id: 10 },
                created_at: { type: 'google.protobuf.Timestamp', id: 11 },
                updated_at: { type: 'google.protobuf.Timestamp', id: 12 },
                amount_refunded: { type: 'int64', id: 13 },
                payments: { rule: 'repeated', type: 'OrderPayment', id: 14 },
                orphans: { rule: 'repeated', type: 'OrderOrphan', id: 15 },
              },
            },
            OrderPayment: {
              oneofs: { _not_counted: { oneof: ['not_counted'] } },
              fields: {
                payment: { type: 'Payment', id: 1 },
                amount_live: { type: 'int64', id: 2 },
                not_counted: { type: 'NotCounted', id: 3, options: { proto3_optional: true } },
              },
            },
            OrderOrphan: {
              oneofs: { _psp_reference: { oneof: ['psp_reference'] } },
              fields: {
                payment_id: { type: 'string', id: 1 },
                psp: { type: 'string', id: 2 },
                psp_reference: { type: 'string', id: 3, options: { proto3_optional: true } },
                amount: { type: 'int64', id: 4 },
                status: { type: 'OrphanStatus', id: 5 },
              },
            },
            OrdersGetRequest: { fields: { reference: { type: 'string', id: 1 } } },
            OrdersGetResponse: { fields: { order: { type: 'OrderDetails', id: 1 } } },
            OrdersListRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _created_gte: { oneof: ['created_gte'] },
                _created_lte: { oneof: ['created_lte'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                status: { type: 'OrderStatus', id: 3 },
                created_gte: { type: 'google.protobuf.Timestamp', id: 4, options: { proto3_optional: true } },
                created_lte: { type: 'google.protobuf.Timestamp', id: 5, options: { proto3_optional: true } },
              },
            },
            OrdersListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Order', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            Payments: {
              methods: {
                Create: { requestType: 'PaymentsCreateRequest', responseType: 'PaymentsCreateResponse' },
                Get: { requestType: 'PaymentsGetRequest', responseType: 'PaymentsGetResponse' },
                List: { requestType: 'PaymentsListRequest', responseType: 'PaymentsListResponse' },
                ListAttempts: {
                  requestType: 'PaymentsListAttemptsRequest',
                  responseType: 'PaymentsListAttemptsResponse',
                },
                ListCaptures: {
                  requestType: 'PaymentsListCapturesRequest',
                  responseType: 'PaymentsListCapturesResponse',
                },
                ListDisputes: {
                  requestType: 'PaymentsListDisputesRequest',
                  responseType: 'PaymentsListDisputesResponse',
                },
                Capture: { requestType: 'PaymentsCaptureRequest', responseType: 'PaymentsCaptureResponse' },
                Complete: {
                  requestType: 'PaymentsCompleteRequest',
                  responseType: 'PaymentsCompleteResponse',
                },
                Cancel: { requestType: 'PaymentsCancelRequest', responseType: 'PaymentsCancelResponse' },
                Watch: {
                  requestType: 'PaymentsWatchRequest',
                  responseType: 'PaymentsWatchResponse',
                  responseStream: true,
                },
              },
            },
            PaymentStatus: {
              values: {
                PAYMENT_STATUS_UNSPECIFIED: 0,
                PAYMENT_STATUS_PROCESSING: 1,
                PAYMENT_STATUS_REQUIRES_ACTION: 2,
                PAYMENT_STATUS_AUTHORIZED: 3,
                PAYMENT_STATUS_CAPTURED: 4,
                PAYMENT_STATUS_PARTIALLY_REFUNDED: 5,
                PAYMENT_STATUS_REFUNDED: 6,
                PAYMENT_STATUS_CANCELED: 7,
                PAYMENT_STATUS_FAILED: 8,
              },
            },
            CaptureMode: {
              values: { CAPTURE_MODE_UNSPECIFIED: 0, CAPTURE_MODE_AUTOMATIC: 1, CAPTURE_MODE_MANUAL: 2 },
            },
            PaymentMethodType: {
              values: {
                PAYMENT_METHOD_TYPE_UNSPECIFIED: 0,
                PAYMENT_METHOD_TYPE_CARD: 1,
                PAYMENT_METHOD_TYPE_WALLET: 2,
                PAYMENT_METHOD_TYPE_BANK_REDIRECT: 3,
                PAYMENT_METHOD_TYPE_BANK_DEBIT: 4,
                PAYMENT_METHOD_TYPE_PAY_LATER: 5,
              },
            },
            MandateSequence: {
              values: {
                MANDATE_SEQUENCE_UNSPECIFIED: 0,
                MANDATE_SEQUENCE_FIRST: 1,
                MANDATE_SEQUENCE_RECURRING: 2,
                MANDATE_SEQUENCE_ONE_OFF: 3,
                MANDATE_SEQUENCE_FINAL: 4,
              },
            },
            Initiator: { values: { INITIATOR_UNSPECIFIED: 0, INITIATOR_CUSTOMER: 1, INITIATOR_MERCHANT: 2 } },
            Payment: {
              oneofs: {
                _psp: { oneof: ['psp'] },
                _psp_reference: { oneof: ['psp_reference'] },
                _failure: { oneof: ['failure'] },
                _next_action: { oneof: ['next_action'] },
                _order: { oneof: ['order'] },
                _return_url: { oneof: ['return_url'] },
                _customer: { oneof: ['customer'] },
              },
              fields: {
                id: { type: 'string', id: 1 },
                reference: { type: 'string', id: 2 },
                status: { type: 'PaymentStatus', id: 3 },
                amount: { type: 'int64', id: 4 },
                amount_captured: { type: 'int64', id: 5 },
                amount_refunded: { type: 'int64', id: 6 },
                amount_disputed: { type: 'int64', id: 7 },
                currency: { type: 'string', id: 8 },
                psp: { type: 'string', id: 9, options: { proto3_optional: true } },
                psp_reference: { type: 'string', id: 10, options: { proto3_optional: true } },
                entity_key: { type: 'string', id: 11 },
                routes: { rule: 'repeated', type: 'Route', id: 12 },
                failure: { type: 'Failure', id: 13, options: { proto3_optional: true } },
                next_action: { type: 'NextAction', id: 14, options: { proto3_optional: true } },
                disputes: { rule: 'repeated', type: 'Dispute', id: 15 },
                metadata: { keyType: 'string', type: 'string', id: 16 },
                created_at: { type: 'google.protobuf.Timestamp', id: 17 },
                updated_at: { type: 'google.protobuf.Timestamp', id: 18 },
                test: { type: 'bool', id: 19 },
                order: { type: 'string', id: 20, options: { proto3_optional: true } },
                capture: { type: 'CaptureMode', id: 21 },
                amount_capturable: { type: 'int64', id: 22 },
                payment_method: { type: 'PaymentMethodShown', id: 23 },
                return_url: { type: 'string', id: 24, options: { proto3_optional: true } },
                customer: { type: 'string', id: 25, options: { proto3_optional: true } },
              },
            },
            PaymentMethodShown: {
              oneofs: {
                _brand: { oneof: ['brand'] },
                _country: { oneof: ['country'] },
                _name: { oneof: ['name'] },
              },
              fields: {
                type: { type: 'PaymentMethodType', id: 1 },
                brand: { type: 'string', id: 2, options: { proto3_optional: true } },
                country: { type: 'string', id: 3, options: { proto3_optional: true } },
                name: { type: 'string', id: 4, options: { proto3_optional: true } },
              },
            },
            NextAction: {
              oneofs: { action: { oneof: ['redirect', 'psp_sdk'] } },
              fields: { redirect: { type: 'Redirect', id: 1 }, psp_sdk: { type: 'PspSdk', id: 2 } },
              nested: {
                Redirect: {
                  fields: {
                    url: { type: 'string', id: 1 },
                    method: { type: 'string', id: 2 },
                    fields: { keyType: 'string', type: 'string', id: 3 },
                  },
                },
                PspSdk: {
                  fields: { psp: { type: 'string', id: 1 }, data: { type: 'google.protobuf.Struct', id: 2 } },
                },
              },
            },
            Dispute: {
              oneofs: {
                _psp: { oneof: ['psp'] },
                _reason: { oneof: ['reason'] },
                _closed_at: { oneof: ['closed_at'] },
                _respond_by: { oneof: ['respond_by'] },
              },
              fields: {
                id: { type: 'string', id: 1 },
                payment_id: { type: 'string', id: 2 },
                psp: { type: 'string', id: 3, options: { proto3_optional: true } },
                psp_reference: { type: 'string', id: 4 },
                status: { type: 'string', id: 5 },
                reason: { type: 'string', id: 6, options: { proto3_optional: true } },
                amount: { type: 'int64', id: 7 },
                amount_withheld: { type: 'int64', id: 8 },
                currency: { type: 'string', id: 9 },
                opened_at: { type: 'google.protobuf.Timestamp', id: 10 },
                closed_at: { type: 'google.protobuf.Timestamp', id: 11, options: { proto3_optional: true } },
                test: { type: 'bool', id: 12 },
                respond_by: { type: 'google.protobuf.Timestamp', id: 13, options: { proto3_optional: true } },
              },
            },
            Capture: {
              oneofs: {
                _reference: { oneof: ['reference'] },
                _psp_reference: { oneof: ['psp_reference'] },
                _psp_code: { oneof: ['psp_code'] },
                _decided_at: { oneof: ['decided_at'] },
              },
              fields: {
                payment_id: { type: 'string', id: 1 },
                reference: { type: 'string', id: 2, options: { proto3_optional: true } },
                status: { type: 'string', id: 3 },
                amount: { type: 'int64', id: 4 },
                currency: { type: 'string', id: 5 },
                psp: { type: 'string', id: 6 },
                psp_reference: { type: 'string', id: 7, options: { proto3_optional: true } },
                psp_code: { type: 'string', id: 8, options: { proto3_optional: true } },
                entity_key: { type: 'string', id: 9 },
                created_at: { type: 'google.protobuf.Timestamp', id: 10 },
                decided_at: { type: 'google.protobuf.Timestamp', id: 11, options: { proto3_optional: true } },
              },
            },
            Attempt: {
              oneofs: {
                _outcome: { oneof: ['outcome'] },
                _psp_code: { oneof: ['psp_code'] },
                _http_status: { oneof: ['http_status'] },
                _latency_ms: { oneof: ['latency_ms'] },
                _ended_at: { oneof: ['ended_at'] },
              },
              fields: {
                entity_key: { type: 'string', id: 1 },
                route: { type: 'int32', id: 2 },
                attempt: { type: 'int32', id: 3 },
                psp: { type: 'string', id: 4 },
                kind: { type: 'string', id: 5 },
                outcome: { type: 'string', id: 6, options: { proto3_optional: true } },
                psp_code: { type: 'string', id: 7, options: { proto3_optional: true } },
                http_status: { type: 'int32', id: 8, options: { proto3_optional: true } },
                latency_ms: { type: 'double', id: 9, options: { proto3_optional: true } },
                verdict: { type: 'string', id: 10 },
                started_at: { type: 'google.protobuf.Timestamp', id: 11 },
                ended_at: { type: 'google.protobuf.Timestamp', id: 12, options: { proto3_optional: true } },
              },
            },
            Card: {
              oneofs: { _brand: { oneof: ['brand'] }, _country: { oneof: ['country'] } },
              fields: {
                brand: { type: 'string', id: 1, options: { proto3_optional: true } },
                country: { type: 'string', id: 2, options: { proto3_optional: true } },
              },
            },
            PaymentMethod: {
              oneofs: {
                _card: { oneof: ['card'] },
                _wallet: { oneof: ['wallet'] },
                _bank_redirect: { oneof: ['bank_redirect'] },
                _bank_debit: { oneof: ['bank_debit'] },
                _pay_later: { oneof: ['pay_later'] },
              },
              fields: {
                type: { type: 'PaymentMethodType', id: 1 },
                tokens: { keyType: 'string', type: 'string', id: 2 },
                customers: { keyType: 'string', type: 'string', id: 3 },
                initiator: { type: 'Initiator', id: 4 },
                card: { type: 'Card', id: 5, options: { proto3_optional: true } },
                wallet: { type: 'Wallet', id: 6, options: { proto3_optional: true } },
                bank_redirect: { type: 'BankRedirect', id: 7, options: { proto3_optional: true } },
                bank_debit: { type: 'BankDebit', id: 8, options: { proto3_optional: true } },
                pay_later: { type: 'PayLater', id: 9, options: { proto3_optional: true } },
              },
            },
            Wallet: { fields: { name: { type: 'string', id: 1 } } },
            BankRedirect: { fields: { name: { type: 'string', id: 1 } } },
            BankDebit: {
              oneofs: { _mandate: { oneof: ['mandate'] } },
              fields: {
                name: { type: 'string', id: 1 },
                mandate: { type: 'Mandate', id: 2, options: { proto3_optional: true } },
              },
            },
            Mandate: {
              fields: {
                reference: { type: 'string', id: 1 },
                signed_on: { type: 'string', id: 2 },
                sequence: { type: 'MandateSequence', id: 3 },
              },
            },
            PayLater: { fields: { name: { type: 'string', id: 1 } } },
            Customer: {
              oneofs: { _reference: { oneof: ['reference'] }, _email: { oneof: ['email'] } },
              fields: {
                reference: { type: 'string', id: 1, options: { proto3_optional: true } },
                email: { type: 'string', id: 2, options: { proto3_optional: true } },
              },
            },
            PaymentsCreateRequest: {
              oneofs: {
                _customer: { oneof: ['customer'] },
                _return_url: { oneof: ['return_url'] },
                _statement_descriptor: { oneof: ['statement_descriptor'] },
                _order: { oneof: ['order'] },
              },
              fields: {
                reference: { type: 'string', id: 1 },
                amount: { type: 'int64', id: 2 },
                currency: { type: 'string', id: 3 },
                capture: { type: 'CaptureMode', id: 4 },
                payment_method: { type: 'PaymentMethod', id: 5 },
                customer: { type: 'Customer', id: 6, options: { proto3_optional: true } },
                return_url: { type: 'string', id: 7, options: { proto3_optional: true } },
                statement_descriptor: { type: 'string', id: 8, options: { proto3_optional: true } },
                metadata: { keyType: 'string', type: 'string', id: 9 },
                allow_duplicate: { type: 'bool', id: 10 },
                order: { type: 'PaymentOrder', id: 11, options: { proto3_optional: true } },
                capture_parts: { type: 'bool', id: 12 },
              },
            },
            PaymentOrder: {
              oneofs: { _amount: { oneof: ['amount'] }, _parts: { oneof: ['parts'] } },
              fields: {
                reference: { type: 'string', id: 1 },
                amount: { type: 'int64', id: 2, options: { proto3_optional: true } },
                parts: { type: 'bool', id: 3, options: { proto3_optional: true } },
                replace: { type: 'bool', id: 4 },
              },
            },
            PaymentsCreateResponse: { fields: { payment: { type: 'Payment', id: 1 } } },
            PaymentsGetRequest: { fields: { id: { type: 'string', id: 1 } } },
            PaymentsGetResponse: { fields: { payment: { type: 'Payment', id: 1 } } },
            PaymentsListRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _psp: { oneof: ['psp'] },
                _reference: { oneof: ['reference'] },
                _created_gte: { oneof: ['created_gte'] },
                _created_lte: { oneof: ['created_lte'] },
                _order: { oneof: ['order'] },
                _customer: { oneof: ['customer'] },
                _amount_gte: { oneof: ['amount_gte'] },
                _amount_lte: { oneof: ['amount_lte'] },
                _currency: { oneof: ['currency'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                status: { type: 'PaymentStatus', id: 3 },
                psp: { type: 'string', id: 4, options: { proto3_optional: true } },
                reference: { type: 'string', id: 5, options: { proto3_optional: true } },
                created_gte: { type: 'google.protobuf.Timestamp', id: 6, options: { proto3_optional: true } },
                created_lte: { type: 'google.protobuf.Timestamp', id: 7, options: { proto3_optional: true } },
                order: { type: 'string', id: 8, options: { proto3_optional: true } },
                customer: { type: 'string', id: 9, options: { proto3_optional: true } },
                amount_gte: { type: 'int64', id: 10, options: { proto3_optional: true } },
                amount_lte: { type: 'int64', id: 11, options: { proto3_optional: true } },
                currency: { type: 'string', id: 12, options: { proto3_optional: true } },
                metadata: { keyType: 'string', type: 'string', id: 13 },
              },
            },
            PaymentsListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Payment', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            PaymentsListAttemptsRequest: { fields: { id: { type: 'string', id: 1 } } },
            PaymentsListAttemptsResponse: { fields: { data: { rule: 'repeated', type: 'Attempt', id: 1 } } },
            PaymentsListCapturesRequest: { fields: { id: { type: 'string', id: 1 } } },
            PaymentsListCapturesResponse: { fields: { data: { rule: 'repeated', type: 'Capture', id: 1 } } },
            PaymentsCaptureRequest: {
              oneofs: {
                _amount: { oneof: ['amount'] },
                _reference: { oneof: ['reference'] },
                _final: { oneof: ['final'] },
              },
              fields: {
                id: { type: 'string', id: 1 },
                amount: { type: 'int64', id: 2, options: { proto3_optional: true } },
                reference: { type: 'string', id: 3, options: { proto3_optional: true } },
                final: { type: 'bool', id: 4, options: { proto3_optional: true } },
              },
            },
            PaymentsCaptureResponse: { fields: { payment: { type: 'Payment', id: 1 } } },
            PaymentsCompleteRequest: {
              fields: { id: { type: 'string', id: 1 }, details: { type: 'google.protobuf.Struct', id: 2 } },
            },
            PaymentsCompleteResponse: { fields: { payment: { type: 'Payment', id: 1 } } },
            PaymentsCancelRequest: { fields: { id: { type: 'string', id: 1 } } },
            PaymentsCancelResponse: { fields: { payment: { type: 'Payment', id: 1 } } },
            PaymentsWatchRequest: { fields: { id: { type: 'string', id: 1 } } },
            PaymentsWatchResponse: { fields: { payment: { type: 'Payment', id: 1 } } },
            PaymentsListDisputesRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _status: { oneof: ['status'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                status: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            PaymentsListDisputesResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Dispute', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            Route: {
              oneofs: { _outcome: { oneof: ['outcome'] } },
              fields: {
                route: { type: 'int32', id: 1 },
                psp: { type: 'string', id: 2 },
                verdict: { type: 'string', id: 3 },
                outcome: { type: 'string', id: 4, options: { proto3_optional: true } },
              },
            },
            Failure: {
              oneofs: { _psp_code: { oneof: ['psp_code'] } },
              fields: {
                category: { type: 'string', id: 1 },
                code: { type: 'string', id: 2 },
                psp_code: { type: 'string', id: 3, options: { proto3_optional: true } },
                message: { type: 'string', id: 4 },
              },
            },
            Payouts: {
              methods: {
                Create: { requestType: 'PayoutsCreateRequest', responseType: 'PayoutsCreateResponse' },
                Get: { requestType: 'PayoutsGetRequest', responseType: 'PayoutsGetResponse' },
                List: { requestType: 'PayoutsListRequest', responseType: 'PayoutsListResponse' },
              },
            },
            PayoutStatus: {
              values: {
                PAYOUT_STATUS_UNSPECIFIED: 0,
                PAYOUT_STATUS_PROCESSING: 1,
                PAYOUT_STATUS_PAID: 2,
                PAYOUT_STATUS_FAILED: 3,
                PAYOUT_STATUS_RETURNED: 4,
              },
            },
            Payout: {
              oneofs: {
                _psp: { oneof: ['psp'] },
                _psp_reference: { oneof: ['psp_reference'] },
                _failure: { oneof: ['failure'] },
                _previous: { oneof: ['previous'] },
              },
              fields: {
                id: { type: 'string', id: 1 },
                reference: { type: 'string', id: 2 },
                recipient: { type: 'string', id: 3 },
                status: { type: 'PayoutStatus', id: 4 },
                amount: { type: 'int64', id: 5 },
                currency: { type: 'string', id: 6 },
                psp: { type: 'string', id: 7, options: { proto3_optional: true } },
                psp_reference: { type: 'string', id: 8, options: { proto3_optional: true } },
                entity_key: { type: 'string', id: 9 },
                routes: { rule: 'repeated', type: 'Route', id: 10 },
                failure: { type: 'Failure', id: 11, options: { proto3_optional: true } },
                previous: { type: 'string', id: 12, options: { proto3_optional: true } },
                metadata: { keyType: 'string', type: 'string', id: 13 },
                created_at: { type: 'google.protobuf.Timestamp', id: 14 },
                updated_at: { type: 'google.protobuf.Timestamp', id: 15 },
                test: { type: 'bool', id: 16 },
              },
            },
            Recipient: {
              fields: {
                reference: { type: 'string', id: 1 },
                tokens: { keyType: 'string', type: 'string', id: 2 },
              },
            },
            PayoutsCreateRequest: {
              oneofs: {
                _previous: { oneof: ['previous'] },
                _statement_descriptor: { oneof: ['statement_descriptor'] },
              },
              fields: {
                reference: { type: 'string', id: 1 },
                recipient: { type: 'Recipient', id: 2 },
                amount: { type: 'int64', id: 3 },
                currency: { type: 'string', id: 4 },
                previous: { type: 'string', id: 5, options: { proto3_optional: true } },
                statement_descriptor: { type: 'string', id: 6, options: { proto3_optional: true } },
                metadata: { keyType: 'string', type: 'string', id: 7 },
              },
            },
            PayoutsCreateResponse: { fields: { payout: { type: 'Payout', id: 1 } } },
            PayoutsGetRequest: { fields: { id: { type: 'string', id: 1 } } },
            PayoutsGetResponse: { fields: { payout: { type: 'Payout', id: 1 } } },
            PayoutsListRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _psp: { oneof: ['psp'] },
                _reference: { oneof: ['reference'] },
                _recipient: { oneof: ['recipient'] },
                _created_gte: { oneof: ['created_gte'] },
                _created_lte: { oneof: ['created_lte'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                status: { type: 'PayoutStatus', id: 3 },
                psp: { type: 'string', id: 4, options: { proto3_optional: true } },
                reference: { type: 'string', id: 5, options: { proto3_optional: true } },
                recipient: { type: 'string', id: 6, options: { proto3_optional: true } },
                created_gte: { type: 'google.protobuf.Timestamp', id: 7, options: { proto3_optional: true } },
                created_lte: { type: 'google.protobuf.Timestamp', id: 8, options: { proto3_optional: true } },
              },
            },
            PayoutsListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Payout', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            Recipients: {
              methods: {
                Register: {
                  requestType: 'RecipientsRegisterRequest',
                  responseType: 'RecipientsRegisterResponse',
                },
                Get: { requestType: 'RecipientsGetRequest', responseType: 'RecipientsGetResponse' },
                List: { requestType: 'RecipientsListRequest', responseType: 'RecipientsListResponse' },
                Remove: { requestType: 'RecipientsRemoveRequest', responseType: 'RecipientsRemoveResponse' },
              },
            },
            RecipientStatus: {
              values: {
                RECIPIENT_STATUS_UNSPECIFIED: 0,
                RECIPIENT_STATUS_ACTIVE: 1,
                RECIPIENT_STATUS_WAITING_FOR_APPROVAL: 2,
                RECIPIENT_STATUS_REMOVED: 3,
              },
            },
            RegisteredRecipient: {
              oneofs: { _approved_at: { oneof: ['approved_at'] } },
              fields: {
                id: { type: 'string', id: 1 },
                reference: { type: 'string', id: 2 },
                status: { type: 'RecipientStatus', id: 3 },
                version: { type: 'int32', id: 4 },
                accounts: { keyType: 'string', type: 'string', id: 5 },
                registered_at: { type: 'google.protobuf.Timestamp', id: 6 },
                approved_at: { type: 'google.protobuf.Timestamp', id: 7, options: { proto3_optional: true } },
                test: { type: 'bool', id: 8 },
              },
            },
            RecipientsRegisterRequest: {
              fields: {
                reference: { type: 'string', id: 1 },
                tokens: { keyType: 'string', type: 'string', id: 2 },
              },
            },
            RecipientsRegisterResponse: { fields: { recipient: { type: 'RegisteredRecipient', id: 1 } } },
            RecipientsGetRequest: { fields: { id: { type: 'string', id: 1 } } },
            RecipientsGetResponse: { fields: { recipient: { type: 'RegisteredRecipient', id: 1 } } },
            RecipientsListRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _reference: { oneof: ['reference'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                reference: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            RecipientsListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'RegisteredRecipient', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            RecipientsRemoveRequest: { fields: { id: { type: 'string', id: 1 } } },
            RecipientsRemoveResponse: { fields: { recipient: { type: 'RegisteredRecipient', id: 1 } } },
            Refunds: {
              methods: {
                Create: { requestType: 'RefundsCreateRequest', responseType: 'RefundsCreateResponse' },
                Get: { requestType: 'RefundsGetRequest', responseType: 'RefundsGetResponse' },
                List: { requestType: 'RefundsListRequest', responseType: 'RefundsListResponse' },
                ListAll: { requestType: 'RefundsListAllRequest', responseType: 'RefundsListAllResponse' },
              },
            },
            RefundStatus: {
              values: {
                REFUND_STATUS_UNSPECIFIED: 0,
                REFUND_STATUS_PENDING: 1,
                REFUND_STATUS_SUCCEEDED: 2,
                REFUND_STATUS_FAILED: 3,
              },
            },
            Refund: {
              oneofs: {
                _reference: { oneof: ['reference'] },
                _reason: { oneof: ['reason'] },
                _psp: { oneof: ['psp'] },
                _psp_reference: { oneof: ['psp_reference'] },
                _failure: { oneof: ['failure'] },
                _existing: { oneof: ['existing'] },
              },
              fields: {
                id: { type: 'string', id: 1 },
                payment_id: { type: 'string', id: 2 },
                reference: { type: 'string', id: 3, options: { proto3_optional: true } },
                status: { type: 'RefundStatus', id: 4 },
                amount: { type: 'int64', id: 5 },
                currency: { type: 'string', id: 6 },
                reason: { type: 'string', id: 7, options: { proto3_optional: true } },
                psp: { type: 'string', id: 8, options: { proto3_optional: true } },
                psp_reference: { type: 'string', id: 9, options: { proto3_optional: true } },
                entity_key: { type: 'string', id: 10 },
                failure: { type: 'Failure', id: 11, options: { proto3_optional: true } },
                metadata: { keyType: 'string', type: 'string', id: 12 },
                created_at: { type: 'google.protobuf.Timestamp', id: 13 },
                updated_at: { type: 'google.protobuf.Timestamp', id: 14 },
                test: { type: 'bool', id: 15 },
                existing: { type: 'bool', id: 16, options: { proto3_optional: true } },
              },
            },
            RefundsCreateRequest: {
              oneofs: {
                _amount: { oneof: ['amount'] },
                _reference: { oneof: ['reference'] },
                _reason: { oneof: ['reason'] },
              },
              fields: {
                payment_id: { type: 'string', id: 1 },
                amount: { type: 'int64', id: 2, options: { proto3_optional: true } },
                reference: { type: 'string', id: 3, options: { proto3_optional: true } },
                reason: { type: 'string', id: 4, options: { proto3_optional: true } },
                metadata: { keyType: 'string', type: 'string', id: 5 },
              },
            },
            RefundsCreateResponse: { fields: { refund: { type: 'Refund', id: 1 } } },
            RefundsGetRequest: { fields: { id: { type: 'string', id: 1 } } },
            RefundsGetResponse: { fields: { refund: { type: 'Refund', id: 1 } } },
            RefundsListRequest: {
              oneofs: { _limit: { oneof: ['limit'] }, _cursor: { oneof: ['cursor'] } },
              fields: {
                payment_id: { type: 'string', id: 1 },
                limit: { type: 'int32', id: 2, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            RefundsListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Refund', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            RefundsListAllRequest: {
              oneofs: {
                _limit: { oneof: ['limit'] },
                _cursor: { oneof: ['cursor'] },
                _reference: { oneof: ['reference'] },
                _created_gte: { oneof: ['created_gte'] },
                _created_lte: { oneof: ['created_lte'] },
              },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
                status: { type: 'RefundStatus', id: 3 },
                reference: { type: 'string', id: 4, options: { proto3_optional: true } },
                created_gte: { type: 'google.protobuf.Timestamp', id: 5, options: { proto3_optional: true } },
                created_lte: { type: 'google.protobuf.Timestamp', id: 6, options: { proto3_optional: true } },
              },
            },
            RefundsListAllResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'Refund', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            WebhookEndpoints: {
              methods: {
                Create: {
                  requestType: 'WebhookEndpointsCreateRequest',
                  responseType: 'WebhookEndpointsCreateResponse',
                },
                Get: {
                  requestType: 'WebhookEndpointsGetRequest',
                  responseType: 'WebhookEndpointsGetResponse',
                },
                List: {
                  requestType: 'WebhookEndpointsListRequest',
                  responseType: 'WebhookEndpointsListResponse',
                },
                RotateSecret: {
                  requestType: 'WebhookEndpointsRotateSecretRequest',
                  responseType: 'WebhookEndpointsRotateSecretResponse',
                },
                Enable: {
                  requestType: 'WebhookEndpointsEnableRequest',
                  responseType: 'WebhookEndpointsEnableResponse',
                },
                Disable: {
                  requestType: 'WebhookEndpointsDisableRequest',
                  responseType: 'WebhookEndpointsDisableResponse',
                },
                Ping: {
                  requestType: 'WebhookEndpointsPingRequest',
                  responseType: 'WebhookEndpointsPingResponse',
                },
                Replay: {
                  requestType: 'WebhookEndpointsReplayRequest',
                  responseType: 'WebhookEndpointsReplayResponse',
                },
              },
            },
            WebhookEndpointStatus: {
              values: {
                WEBHOOK_ENDPOINT_STATUS_UNSPECIFIED: 0,
                WEBHOOK_ENDPOINT_STATUS_ENABLED: 1,
                WEBHOOK_ENDPOINT_STATUS_DISABLED: 2,
              },
            },
            DisabledReason: {
              values: {
                DISABLED_REASON_UNSPECIFIED: 0,
                DISABLED_REASON_ASKED: 1,
                DISABLED_REASON_GONE: 2,
                DISABLED_REASON_FAILING: 3,
              },
            },
            WebhookEndpoint: {
              oneofs: {
                _description: { oneof: ['description'] },
                _disabled_reason: { oneof: ['disabled_reason'] },
                _failing_since: { oneof: ['failing_since'] },
                _previous_secret_until: { oneof: ['previous_secret_until'] },
                _secret: { oneof: ['secret'] },
              },
              fields: {
                id: { type: 'string', id: 1 },
                url: { type: 'string', id: 2 },
                events: { rule: 'repeated', type: 'string', id: 3 },
                description: { type: 'string', id: 4, options: { proto3_optional: true } },
                status: { type: 'WebhookEndpointStatus', id: 5 },
                disabled_reason: { type: 'DisabledReason', id: 6, options: { proto3_optional: true } },
                failing_since: {
                  type: 'google.protobuf.Timestamp',
                  id: 7,
                  options: { proto3_optional: true },
                },
                previous_secret_until: {
                  type: 'google.protobuf.Timestamp',
                  id: 8,
                  options: { proto3_optional: true },
                },
                created_at: { type: 'google.protobuf.Timestamp', id: 9 },
                updated_at: { type: 'google.protobuf.Timestamp', id: 10 },
                test: { type: 'bool', id: 11 },
                secret: { type: 'string', id: 12, options: { proto3_optional: true } },
              },
            },
            WebhookEndpointsCreateRequest: {
              oneofs: { _description: { oneof: ['description'] } },
              fields: {
                url: { type: 'string', id: 1 },
                events: { rule: 'repeated', type: 'string', id: 2 },
                description: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            WebhookEndpointsCreateResponse: {
              fields: { webhook_endpoint: { type: 'WebhookEndpoint', id: 1 } },
            },
            WebhookEndpointsGetRequest: { fields: { id: { type: 'string', id: 1 } } },
            WebhookEndpointsGetResponse: { fields: { webhook_endpoint: { type: 'WebhookEndpoint', id: 1 } } },
            WebhookEndpointsListRequest: {
              oneofs: { _limit: { oneof: ['limit'] }, _cursor: { oneof: ['cursor'] } },
              fields: {
                limit: { type: 'int32', id: 1, options: { proto3_optional: true } },
                cursor: { type: 'string', id: 2, options: { proto3_optional: true } },
              },
            },
            WebhookEndpointsListResponse: {
              oneofs: { _next_cursor: { oneof: ['next_cursor'] } },
              fields: {
                data: { rule: 'repeated', type: 'WebhookEndpoint', id: 1 },
                has_more: { type: 'bool', id: 2 },
                next_cursor: { type: 'string', id: 3, options: { proto3_optional: true } },
              },
            },
            WebhookEndpointsRotateSecretRequest: { fields: { id: { type: 'string', id: 1 } } },
            WebhookEndpointsRotateSecretResponse: {
              fields: { webhook_endpoint: { type: 'WebhookEndpoint', id: 1 } },
            },
            WebhookEndpointsEnableRequest: { fields: { id: { type: 'string', id: 1 } } },
            WebhookEndpointsEnableResponse: {
              fields: { webhook_endpoint: { type: 'WebhookEndpoint', id: 1 } },
            },
            WebhookEndpointsDisableRequest: { fields: { id: { type: 'string', id: 1 } } },
            WebhookEndpointsDisableResponse: {
              fields: { webhook_endpoint: { type: 'WebhookEndpoint', id: 1 } },
            },
            WebhookEndpointsPingRequest: { fields: { id: { type: 'string', id: 1 } } },
            WebhookEndpointsPingResponse: { fields: { event: { type: 'Event', id: 1 } } },
            WebhookEndpointsReplayRequest: {
              fields: {
                id: { type: 'string', id: 1 },
                from: { type: 'google.protobuf.Timestamp', id: 2 },
                to: { type: 'google.protobuf.Timestamp', id: 3 },
              },
            },
            WebhookEndpointsReplayResponse: { fields: { deliveries: { type: 'int32', id: 1 } } },
          },
        },
      },
    },
    google: {
      nested: {
        protobuf: {
          nested: {
            Struct: { fields: { fields: { keyType: 'string', type: 'Value', id: 1 } } },
            Value: {
              oneofs: {
                kind: {
                  oneof: ['nullValue', 'numberValue', 'stringValue', 'boolValue', 'structValue', 'listValue'],
                },
              },
              fields: {
                nullValue: { type: 'NullValue', id: 1 },
                numberValue: { type: 'double', id: 2 },
                stringValue: { type: 'string', id: 3 },
                boolValue: { type: 'bool', id: 4 },
                structValue: { type: 'Struct', id: 5 },
                listValue: { type: 'ListValue', id: 6 },
              },
            },
            NullValue: { values: { NULL_VALUE: 0 } },
            ListValue: { fields: { values: { rule: 'repeated', type: 'Value', id: 1 } } },
            Timestamp: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } },
          },
        },
      },
    },
  },
};
