import {
  Alert,
  Box,
  Button,
  Checkbox,
  FileButton,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type PspAccountRow } from '../../../src/console/installation-views.js';
import { type RunResult } from '../answers.js';
import { api, queryOf, upload } from '../api.js';
import { Failure } from '../parts.js';
import { RunFigures } from './run-figures.js';

type Taken = RunResult & { readonly is_new: boolean };

/** The mapping that this browser used last for an account. */
const placeOf = (psp: string) => `payonce-mapping-${psp}`;

const MAPPING = `{
  "columns": { "key": "id", "type": "kind", "currency": "currency", "gross": "amount", "occurredAt": "time" },
  "types": { "SALE": "payment", "REFUND": "refund" },
  "covers": ["payment", "refund"]
}`;

/** A report or statement that is dropped here is tried first: what it would come to is shown before it is imported. */
export function ImportReport({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [psp, setPsp] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [tries, setTries] = useState(0);
  const accounts = useQuery({
    queryKey: ['psps'],
    queryFn: () => api<PageView<PspAccountRow>>('GET', 'psps'),
  });
  const [mapping, setMapping] = useState<string | null>(null);
  const send = (of: File, trial: 'yes' | 'no') => {
    const query = queryOf({ psp, name: of.name.slice(0, 200), trial, mapping: mapping ?? undefined });
    return upload<Taken>(`reconciliation/reports?${query}`, of);
  };
  const trial = useMutation({ mutationFn: (of: File) => send(of, 'yes') });
  const done = useMutation({
    mutationFn: (of: File) => send(of, 'no'),
    onSuccess: async ({ run }) => {
      if (mapping !== null) localStorage.setItem(placeOf(psp), mapping);
      await queries.invalidateQueries();
      await navigate({ to: '/reconciliation/runs/$id', params: { id: run.id } });
    },
  });
  const take = (given: File | null | undefined) => {
    if (!given) return;
    setFile(given);
    setTries(tries + 1);
    trial.mutate(given);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (psp !== '') take(event.dataTransfer.files[0]);
  };
  const found = trial.data;
  return (
    <Modal opened onClose={close} size={found ? 'xl' : 'md'} title="Import a report">
      <Stack gap="sm">
        <NativeSelect
          label="Of the PSP account"
          data={[{ value: '', label: 'Choose' }, ...(accounts.data?.data ?? []).map((each) => each.psp)]}
          value={psp}
          onChange={({ currentTarget: { value } }) => {
            setPsp(value);
            setMapping(localStorage.getItem(placeOf(value)));
            setFile(null);
            trial.reset();
          }}
        />
        <Checkbox
          size="xs"
          label="It is the CSV of another PSP, read by a mapping"
          disabled={psp === ''}
          checked={mapping !== null}
          onChange={({ currentTarget: { checked } }) => setMapping(checked ? MAPPING : null)}
        />
        {mapping !== null && (
          <Textarea
            label="Mapping"
            description="Which column holds what, and what its types mean. The guide Reconciliation has all of it."
            autosize
            minRows={4}
            maxRows={12}
            maxLength={4_000}
            classNames={{ input: 'mono' }}
            value={mapping}
            onChange={({ currentTarget: { value } }) => setMapping(value)}
          />
        )}
        <Box
          className="drop"
          onDragOver={(event: DragEvent) => event.preventDefault()}
          onDrop={drop}
          data-ready={psp !== ''}
        >
          <Text size="sm">
            {file === null
              ? "Drop the file here: Stripe's itemised CSV, Adyen's settlement details; of a bank's account camt.053 or .054"
              : file.name}
          </Text>
          {/* A browser tells nothing of a file that is chosen twice: each choice is of a new field. */}
          <FileButton key={`${psp} ${tries}`} onChange={take}>
            {(props) => (
              <Button size="xs" variant="default" mt="xs" disabled={psp === ''} {...props}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Box>
        {trial.isPending && (
          <Text size="sm">It is read and held against the ledger. Nothing is kept yet.</Text>
        )}
        {trial.error && <Failure error={trial.error} />}
        {found && !found.is_new && (
          <Alert color="yellow" variant="light" title="This very file was imported before">
            What it came to is shown; to import it again changes nothing.
          </Alert>
        )}
        {found && <RunFigures view={found} isTrial={found.is_new} />}
        {done.error && <Failure error={done.error} />}
        <Group justify="end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          {found?.is_new && file && (
            <Button loading={done.isPending} onClick={() => done.mutate(file)}>
              Import {found.run.lines} lines
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
