import { BarChart, LineChart } from '@mantine/charts';
import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ActivityView, type Span } from '../../../src/console/activity-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { type PspAccountRow } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { money, Time } from '../format.js';
import { Listing, Loaded, Nothing, Part } from '../parts.js';
import { Breaker } from '../breaker.js';

const spans = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
];

/** Distinguishable for those who see colours otherwise, too. */
const colors = ['indigo.6', 'orange.6', 'teal.6', 'grape.6', 'cyan.6', 'pink.6'];

/** What happened in the last hour, day or week. */
export function Activity() {
  const { span = 'hour' } = useSearch({ from: '/shell/' });
  const navigate = useNavigate({ from: '/' });
  const query = useQuery({
    queryKey: ['activity', span],
    queryFn: () => api<ActivityView>('GET', `activity?span=${span}`),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="sm" mt="md">
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Time"
          data={spans}
          value={span}
          onChange={(value) => void navigate({ search: value === 'hour' ? {} : { span: value } })}
        />
        {query.data && (
          <Text size="sm" c="dimmed">
            {query.data.counted_at === null ? (
              'Nothing is counted yet: a worker counts each minute once it has ended.'
            ) : (
              <>
                Counted <Time at={query.data.counted_at} />; jobs that wait: {query.data.queue.waiting}
                {query.data.queue.waiting > 0 && `, the oldest for ${query.data.queue.oldest_s} s`}.
              </>
            )}
          </Text>
        )}
      </Group>
      <Loaded query={query}>
        {(activity) => (
          <>
            <Payments activity={activity} span={span} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm">
              <Success activity={activity} span={span} />
              <Latency activity={activity} span={span} />
              <Psps activity={activity} />
              <Captured captured={activity.captured} />
            </SimpleGrid>
          </>
        )}
      </Loaded>
    </Stack>
  );
}

interface Shown {
  readonly activity: ActivityView;
  readonly span: Span;
}

/** Local time: the hour of the day where it is one day or less. */
function label(at: string, span: Span): string {
  const time = new Date(at);
  const clock = time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return span === 'week'
    ? `${time.toLocaleDateString('en-GB', { day: '2-digit', month: '2-digit' })} ${clock}`
    : clock;
}

const steps: Readonly<Record<Span, string>> = {
  hour: 'a minute',
  day: 'in 15 minutes',
  week: 'in two hours',
};

function Payments({ activity: { payments }, span }: Shown) {
  const total = (name: 'succeeded' | 'failed' | 'undecided') =>
    payments.reduce((sum, point) => sum + point[name], 0);
  const [succeeded, failed, undecided] = [total('succeeded'), total('failed'), total('undecided')];
  const decided = succeeded + failed;
  const summary = `${succeeded} succeeded, ${failed} failed, ${undecided} undecided`;
  return (
    <Part title={`Payments ${steps[span]}`}>
      <Group gap="md" mb="xs">
        <Link to="/payments">
          {succeeded} succeeded{decided > 0 && ` (${((succeeded / decided) * 100).toFixed(1)} %)`}
        </Link>
        <Link to="/payments" search={{ status: 'failed' }}>
          {failed} failed
        </Link>
        <Link to="/payments" search={{ status: 'processing' }}>
          {undecided} undecided
        </Link>
      </Group>
      <div role="img" aria-label={`Payments ${steps[span]}: ${summary}`}>
        <BarChart
          h={180}
          data={payments.map(({ at, ...counts }) => ({ at: label(at, span), ...counts }))}
          dataKey="at"
          type="stacked"
          withLegend
          yAxisProps={{ allowDecimals: false }}
          series={[
            { name: 'succeeded', color: 'teal.6' },
            { name: 'failed', color: 'red.6' },
            { name: 'undecided', color: 'yellow.5' },
          ]}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
    </Part>
  );
}

type Point = ActivityView['psps'][number]['points'][number];

/** One line for each PSP account. */
function Lines({
  activity: { psps, payments },
  span,
  title,
  hint,
  unit,
  figureOf,
}: Shown & { title: string; hint: string; unit: string; figureOf: (point: Point) => number | null }) {
  const data = payments.map(({ at }, place) => ({
    at: label(at, span),
    ...Object.fromEntries(
      psps.map(({ psp, points }) => [psp, points[place] ? figureOf(points[place]) : null]),
    ),
  }));
  return (
    <Part title={title} hint={hint}>
      {psps.length === 0 ? (
        <Nothing>No PSP was called.</Nothing>
      ) : (
        <div role="img" aria-label={`${title}: ${psps.map(({ psp }) => psp).join(', ')}`}>
          <LineChart
            h={180}
            data={data}
            dataKey="at"
            withLegend
            unit={unit}
            connectNulls={false}
            curveType="linear"
            series={psps.map(({ psp }, n) => ({ name: psp, color: colors[n % colors.length]! }))}
            lineChartProps={{ accessibilityLayer: false }}
          />
        </div>
      )}
    </Part>
  );
}

function Success(shown: Shown) {
  const percent = ({ success }: Point) => (success === null ? null : Math.round(success * 1_000) / 10);
  return <Lines {...shown} title="Success by PSP" hint="of the calls" unit=" %" figureOf={percent} />;
}

function Latency(shown: Shown) {
  return (
    <Lines
      {...shown}
      title="Latency by PSP"
      hint="95 % of the calls of the worst minute"
      unit=" ms"
      figureOf={({ p95_ms: ms }) => ms}
    />
  );
}

function Psps({ activity: { psps } }: { activity: ActivityView }) {
  const accounts = useQuery({
    queryKey: ['psps'],
    queryFn: () => api<PageView<PspAccountRow>>('GET', 'psps'),
  });
  const rows = accounts.data?.data ?? [];
  const callsOf = (name: string) => psps.find(({ psp }) => psp === name);
  return (
    <Part title="PSP accounts">
      <Listing
        rows={rows}
        keyOf={({ psp }) => psp}
        columns={[
          {
            label: 'PSP',
            cell: ({ psp }) => (
              <Link to="/payments" search={{ psp }} className="row-link">
                {psp}
              </Link>
            ),
          },
          { label: 'Calls', isFigure: true, cell: ({ psp }) => callsOf(psp)?.calls ?? 0 },
          {
            label: 'Success',
            isFigure: true,
            cell: ({ psp }) => {
              const { success = null } = callsOf(psp) ?? {};
              return success === null ? '–' : `${(success * 100).toFixed(1)} %`;
            },
          },
          { label: 'Unanswered', isFigure: true, cell: ({ psp }) => callsOf(psp)?.unanswered ?? 0 },
          {
            label: 'Breaker',
            cell: ({ breaker }) => (
              <Link to="/psps" className="row-link">
                <Breaker is={breaker.state} />
              </Link>
            ),
          },
        ]}
      />
    </Part>
  );
}

function Captured({ captured }: { captured: ActivityView['captured'] }) {
  return (
    <Part title="Captured">
      {captured.length === 0 ? (
        <Nothing>No PSP took a payment.</Nothing>
      ) : (
        <Listing
          rows={captured}
          keyOf={({ psp, currency }) => `${psp} ${currency}`}
          columns={[
            {
              label: 'PSP',
              cell: ({ psp, currency }) => (
                <Link to="/ledger" search={{ psp, currency }} className="row-link">
                  {psp}
                </Link>
              ),
            },
            { label: 'Payments', isFigure: true, cell: ({ payments }) => payments },
            {
              label: 'Captured',
              isFigure: true,
              cell: ({ captured: sum, currency }) => money(sum, currency),
            },
          ]}
        />
      )}
    </Part>
  );
}
