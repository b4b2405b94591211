import { Type } from 'typebox';
import { strictObject, Text } from '../http/answer-schemas.js';
import { type Operation } from '../http/operation.js';

export const Live = strictObject({ status: { const: 'live' }, version: Text });
export const Ready = strictObject({
  status: Type.Enum(['ready', 'not_ready', 'draining']),
  checks: { type: 'object', additionalProperties: Type.Enum(['up', 'down']) },
});

/** What the OpenAPI document tells of health and metrics. */
export const healthOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/health/live',
    operationId: 'live',
    tag: 'Operations',
    summary: 'Is the process alive?',
    description: 'Says nothing of databases: a restart would not mend them.',
    answers: [
      {
        status: 200,
        description: 'It is.',
        schema: 'Live',
        examples: { live: { status: 'live', version: '0.1.0' } },
      },
    ],
    problems: [],
  },
  {
    method: 'get',
    path: '/health/ready',
    operationId: 'ready',
    tag: 'Operations',
    summary: 'May requests be sent here?',
    description:
      'No as soon as the process is asked to stop, while the database is away, and while the clock of the machine differs from that of the database by more than 2 s.',
    answers: [
      {
        status: 200,
        description: 'Yes.',
        schema: 'Ready',
        examples: { ready: { status: 'ready', checks: { database: 'up', clock: 'up' } } },
      },
      {
        status: 503,
        description: 'No.',
        schema: 'Ready',
        examples: {
          down: { status: 'not_ready', checks: { database: 'down', clock: 'down' } },
          clockIsOff: { status: 'not_ready', checks: { database: 'up', clock: 'down' } },
          draining: { status: 'draining', checks: {} },
        },
      },
    ],
    problems: [],
  },
  {
    method: 'get',
    path: '/metrics',
    operationId: 'metrics',
    tag: 'Operations',
    summary: 'Metrics',
    description:
      "In Prometheus' text format. On a port of its own where the installation has one for monitoring.",
    answers: [{ status: 200, description: 'All metrics.', schema: null, examples: {} }],
    problems: [],
  },
];
