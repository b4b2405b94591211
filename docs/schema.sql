-- The tables of an installation as all migrations together make them, for reading. Reasons stand in the migrations.
-- UPDATE_SCHEMA=1 npx jest test/database/schema.spec.ts writes it anew.

CREATE TABLE activity_calls (
  minute timestamp with time zone NOT NULL,
  psp text NOT NULL,
  succeeded integer NOT NULL,
  declined integer NOT NULL,
  unanswered integer NOT NULL,
  p50_ms integer,
  p95_ms integer,
  CONSTRAINT activity_calls_pkey PRIMARY KEY (minute, psp),
  CONSTRAINT activity_calls_minute_fkey FOREIGN KEY (minute) REFERENCES activity_minutes(minute) ON DELETE CASCADE
);

ALTER TABLE activity_calls ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON activity_calls USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON activity_calls TO service;

CREATE TABLE activity_minutes (
  minute timestamp with time zone NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  is_settled boolean NOT NULL,
  CONSTRAINT activity_minutes_pkey PRIMARY KEY (minute)
);

CREATE INDEX activity_minutes_unsettled ON public.activity_minutes USING btree (counted_at) WHERE (NOT is_settled);

ALTER TABLE activity_minutes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON activity_minutes USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON activity_minutes TO service;

CREATE TABLE activity_payments (
  minute timestamp with time zone NOT NULL,
  psp text NOT NULL,
  currency text NOT NULL,
  succeeded integer NOT NULL,
  authorized integer NOT NULL,
  failed integer NOT NULL,
  undecided integer NOT NULL,
  captured bigint NOT NULL,
  CONSTRAINT activity_payments_pkey PRIMARY KEY (minute, psp, currency),
  CONSTRAINT activity_payments_minute_fkey FOREIGN KEY (minute) REFERENCES activity_minutes(minute) ON DELETE CASCADE
);

ALTER TABLE activity_payments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON activity_payments USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON activity_payments TO service;

CREATE TABLE alerts_told (
  channel text NOT NULL,
  kind text NOT NULL,
  count integer NOT NULL,
  newest_at timestamp with time zone,
  told_at timestamp with time zone NOT NULL,
  CONSTRAINT alerts_told_pkey PRIMARY KEY (channel, kind),
  CONSTRAINT alerts_told_count_check CHECK ((count >= 0))
);

ALTER TABLE alerts_told ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON alerts_told USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON alerts_told TO service;

CREATE TABLE api_key_checksum (
  one boolean DEFAULT true NOT NULL,
  secret bytea NOT NULL,
  CONSTRAINT api_key_checksum_pkey PRIMARY KEY (one),
  CONSTRAINT api_key_checksum_one_check CHECK (one),
  CONSTRAINT api_key_checksum_secret_check CHECK ((length(secret) = 32))
);

ALTER TABLE api_key_checksum ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON api_key_checksum USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON api_key_checksum TO service;

CREATE TABLE api_keys (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  hash bytea NOT NULL,
  prefix text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  has_checksum boolean DEFAULT false NOT NULL,
  created_by text,
  needs_certificate boolean DEFAULT false NOT NULL,
  CONSTRAINT api_keys_hash_key UNIQUE (hash),
  CONSTRAINT api_keys_pkey PRIMARY KEY (merchant_id, id),
  CONSTRAINT api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  CONSTRAINT api_keys_check CHECK ((revoked_at >= created_at)),
  CONSTRAINT api_keys_check1 CHECK ((expires_at >= created_at)),
  CONSTRAINT api_keys_hash_check CHECK ((length(hash) = 32))
);

CREATE INDEX api_keys_without_checksum ON public.api_keys USING btree (prefix) WHERE (NOT has_checksum);

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON api_keys USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON api_keys TO service;

CREATE TABLE approvals (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  action jsonb NOT NULL,
  action_hash text NOT NULL,
  subject text NOT NULL,
  requested_by uuid NOT NULL,
  requested_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  decision text,
  decided_by uuid,
  decided_at timestamp with time zone,
  result text,
  CONSTRAINT approvals_pkey PRIMARY KEY (merchant_id, id),
  CONSTRAINT approvals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES operators(id),
  CONSTRAINT approvals_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES operators(id),
  CONSTRAINT approvals_action_hash_check CHECK ((action_hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT approvals_decided CHECK ((num_nulls(decision, decided_by, decided_at) = ANY (ARRAY[0, 3]))),
  CONSTRAINT approvals_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'declined'::text]))),
  CONSTRAINT approvals_two_people CHECK (((decided_by <> requested_by) OR (decision = 'declined'::text)))
);

CREATE INDEX approvals_by_subject ON public.approvals USING btree (subject);

CREATE UNIQUE INDEX approvals_one_waiting ON public.approvals USING btree (merchant_id, action_hash) WHERE (decision IS NULL);

CREATE INDEX approvals_waiting ON public.approvals USING btree (id) WHERE (decision IS NULL);

CREATE TRIGGER approvals_decided_once BEFORE UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION refuse_second_decision();

CREATE TRIGGER approvals_two_persons BEFORE INSERT OR UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION refuse_own_approval();

ALTER TABLE approvals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON approvals USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON approvals TO service;

CREATE TABLE audit_records (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL,
  CONSTRAINT audit_records_pkey PRIMARY KEY (merchant_id, id)
);

CREATE INDEX audit_records_of_people ON public.audit_records USING btree (id) WHERE ((actor ~~ 'operator:%'::text) OR (actor ~~ 'cli:%'::text));

CREATE INDEX audit_records_of_people_by_subject ON public.audit_records USING btree (subject, id) WHERE ((actor ~~ 'operator:%'::text) OR (actor ~~ 'cli:%'::text));

CREATE TRIGGER audit_records_append_only BEFORE DELETE OR UPDATE ON public.audit_records FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

CREATE TRIGGER audit_records_chained AFTER INSERT ON public.audit_records FOR EACH ROW WHEN (((new.actor ~~ 'operator:%'::text) OR (new.actor ~~ 'cli:%'::text))) EXECUTE FUNCTION payonce_audit.chain();

ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON audit_records USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON audit_records TO service;

CREATE TABLE bank_batches (
  psp text NOT NULL,
  number bigint NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  format text NOT NULL,
  message_id text NOT NULL,
  file_name text NOT NULL,
  due_on date NOT NULL,
  transactions integer NOT NULL,
  total bigint NOT NULL,
  bytes integer NOT NULL,
  sha256 text NOT NULL,
  sealed bytea,
  state text DEFAULT 'formed'::text NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  temporary_name text,
  formed_at timestamp(3) with time zone NOT NULL,
  sent_at timestamp(3) with time zone,
  fault text,
  server text,
  CONSTRAINT bank_batches_id UNIQUE (id),
  CONSTRAINT bank_batches_message UNIQUE (psp, message_id),
  CONSTRAINT bank_batches_pkey PRIMARY KEY (psp, number),
  CONSTRAINT bank_batches_kept CHECK (((state = 'sent'::text) OR (sealed IS NOT NULL))),
  CONSTRAINT bank_batches_kind_check CHECK ((kind = ANY (ARRAY['credit_transfer'::text, 'direct_debit'::text]))),
  CONSTRAINT bank_batches_sent CHECK (((state = 'sent'::text) = (sent_at IS NOT NULL))),
  CONSTRAINT bank_batches_server CHECK (((length(server) >= 1) AND (length(server) <= 1000))),
  CONSTRAINT bank_batches_state_check CHECK ((state = ANY (ARRAY['formed'::text, 'placing'::text, 'sent'::text, 'conflict'::text]))),
  CONSTRAINT bank_batches_total_check CHECK ((total > 0)),
  CONSTRAINT bank_batches_transactions_check CHECK ((transactions > 0))
);

CREATE INDEX bank_batches_unsent ON public.bank_batches USING btree (psp, number) WHERE (state = ANY (ARRAY['formed'::text, 'placing'::text]));

ALTER TABLE bank_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON bank_batches USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON bank_batches TO service;

CREATE TABLE bank_files (
  psp text NOT NULL,
  sha256 text NOT NULL,
  name text NOT NULL,
  bytes integer NOT NULL,
  modified_at timestamp(3) with time zone NOT NULL,
  state text NOT NULL,
  fault text,
  ours integer NOT NULL,
  unknown integer NOT NULL,
  received_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT bank_files_pkey PRIMARY KEY (psp, sha256),
  CONSTRAINT bank_files_state_check CHECK ((state = ANY (ARRAY['read'::text, 'refused'::text])))
);

CREATE INDEX bank_files_by_name ON public.bank_files USING btree (psp, name);

ALTER TABLE bank_files ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON bank_files USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON bank_files TO service;

CREATE TABLE bank_instructions (
  psp text NOT NULL,
  end_to_end_id text NOT NULL,
  id uuid NOT NULL,
  entity_key text NOT NULL,
  route integer NOT NULL,
  operation text NOT NULL,
  kind text NOT NULL,
  amount bigint NOT NULL,
  remittance text NOT NULL,
  sealed bytea,
  status text DEFAULT 'collected'::text NOT NULL,
  reason text,
  batch bigint,
  payment_block text,
  collected_at timestamp(3) with time zone NOT NULL,
  answered_at timestamp(3) with time zone,
  CONSTRAINT bank_instructions_id UNIQUE (id),
  CONSTRAINT bank_instructions_once UNIQUE (psp, entity_key),
  CONSTRAINT bank_instructions_pkey PRIMARY KEY (psp, end_to_end_id),
  CONSTRAINT bank_instructions_batch FOREIGN KEY (psp, batch) REFERENCES bank_batches(psp, number),
  CONSTRAINT bank_instructions_amount_check CHECK ((amount > 0)),
  CONSTRAINT bank_instructions_collected CHECK ((((batch IS NULL) OR (status <> 'collected'::text)) AND ((batch IS NOT NULL) OR (status <> 'sent'::text)))) NOT VALID,
  CONSTRAINT bank_instructions_kept CHECK (((status <> 'collected'::text) OR (sealed IS NOT NULL))),
  CONSTRAINT bank_instructions_kind_check CHECK ((kind = ANY (ARRAY['credit_transfer'::text, 'direct_debit'::text]))),
  CONSTRAINT bank_instructions_operation_check CHECK ((operation = ANY (ARRAY['charge'::text, 'refund'::text, 'payout'::text]))),
  CONSTRAINT bank_instructions_status_check CHECK ((status = ANY (ARRAY['collected'::text, 'sent'::text, 'accepted'::text, 'rejected'::text, 'booked'::text, 'returned'::text, 'unclear'::text])))
);

CREATE INDEX bank_instructions_by_batch ON public.bank_instructions USING btree (psp, batch);

CREATE TRIGGER bank_instructions_fixed BEFORE UPDATE ON public.bank_instructions FOR EACH ROW EXECUTE FUNCTION payonce_bank_instruction_fixed();

ALTER TABLE bank_instructions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON bank_instructions USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON bank_instructions TO service;

CREATE TABLE break_notes (
  psp text NOT NULL,
  break_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  by text NOT NULL,
  note text NOT NULL,
  CONSTRAINT break_notes_pkey PRIMARY KEY (psp, break_id, id),
  CONSTRAINT break_notes_psp_break_id_fkey FOREIGN KEY (psp, break_id) REFERENCES reconciliation_breaks(psp, id),
  CONSTRAINT break_notes_note_check CHECK (((length(note) >= 1) AND (length(note) <= 500)))
);

CREATE TRIGGER break_notes_append_only BEFORE DELETE OR UPDATE ON public.break_notes FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

ALTER TABLE break_notes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON break_notes USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON break_notes TO service;

CREATE TABLE dead_letters (
  id uuid NOT NULL,
  kind text NOT NULL,
  job_id text NOT NULL,
  args jsonb NOT NULL,
  cause text NOT NULL,
  error text NOT NULL,
  tries integer NOT NULL,
  first_tried_at timestamp with time zone NOT NULL,
  died_at timestamp with time zone NOT NULL,
  CONSTRAINT dead_letters_job UNIQUE (kind, job_id),
  CONSTRAINT dead_letters_pkey PRIMARY KEY (id),
  CONSTRAINT dead_letters_tries_check CHECK ((tries > 0))
);

CREATE INDEX dead_letters_by_age ON public.dead_letters USING btree (died_at);

ALTER TABLE dead_letters ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON dead_letters USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON dead_letters TO service;

CREATE TABLE duplicate_guards (
  merchant_id uuid NOT NULL,
  digest text NOT NULL,
  payment_id uuid NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT duplicate_guards_pkey PRIMARY KEY (merchant_id, digest),
  CONSTRAINT duplicate_guards_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text))
);

CREATE INDEX duplicate_guards_lapsed ON public.duplicate_guards USING btree (until);

ALTER TABLE duplicate_guards ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON duplicate_guards USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON duplicate_guards TO service;

CREATE TABLE events (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  data json NOT NULL,
  at timestamp with time zone NOT NULL,
  fanned_out_at timestamp with time zone,
  xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (merchant_id, id)
);

CREATE INDEX events_in_order ON public.events USING btree (merchant_id, xid, id);

CREATE INDEX events_to_fan_out ON public.events USING btree (id) WHERE (fanned_out_at IS NULL);

CREATE TRIGGER events_fanned_out_once BEFORE UPDATE ON public.events FOR EACH ROW WHEN (((old.fanned_out_at IS NOT NULL) OR (((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR (old.id IS DISTINCT FROM new.id)) OR (old.type IS DISTINCT FROM new.type)) OR (old.subject IS DISTINCT FROM new.subject)) OR ((old.data)::text IS DISTINCT FROM (new.data)::text)) OR (old.at IS DISTINCT FROM new.at)) OR (old.xid IS DISTINCT FROM new.xid)))) EXECUTE FUNCTION payonce_append_only();

CREATE TRIGGER events_kept BEFORE DELETE ON public.events FOR EACH ROW EXECUTE FUNCTION payonce_keep_event();

ALTER TABLE events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON events USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON events TO service;

CREATE TABLE evidence_files (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  entity_key text NOT NULL,
  name text NOT NULL,
  content_type text NOT NULL,
  sha256 text NOT NULL,
  content bytea NOT NULL,
  operator_id uuid NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT evidence_files_pkey PRIMARY KEY (merchant_id, id),
  CONSTRAINT evidence_files_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  CONSTRAINT evidence_files_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  CONSTRAINT evidence_files_content_check CHECK (((length(content) >= 1) AND (length(content) <= 2097152))),
  CONSTRAINT evidence_files_content_type_check CHECK ((content_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text, 'text/plain'::text]))),
  CONSTRAINT evidence_files_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT evidence_files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

CREATE INDEX evidence_files_by_id ON public.evidence_files USING btree (id);

CREATE INDEX evidence_files_by_operation ON public.evidence_files USING btree (merchant_id, entity_key);

CREATE TRIGGER evidence_files_append_only BEFORE DELETE OR UPDATE ON public.evidence_files FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

ALTER TABLE evidence_files ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON evidence_files USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON evidence_files TO service;

CREATE TABLE failover_hold (
  one boolean DEFAULT true NOT NULL,
  identity text NOT NULL,
  held_until timestamp with time zone,
  changed_by text NOT NULL,
  changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT failover_hold_pkey PRIMARY KEY (one),
  CONSTRAINT failover_hold_one_check CHECK (one)
);

GRANT DELETE, INSERT, SELECT, UPDATE ON failover_hold TO service;

CREATE TABLE idempotency_keys (
  merchant_id uuid NOT NULL,
  key text NOT NULL,
  operation text NOT NULL,
  fingerprint text NOT NULL,
  subject_id uuid,
  params jsonb NOT NULL,
  recovery_point text NOT NULL,
  lock_token uuid,
  resumable_at timestamp with time zone,
  response_status smallint,
  response_body text,
  created_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  source_address text,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (merchant_id, key),
  CONSTRAINT idempotency_keys_finished CHECK ((((recovery_point = 'finished'::text) = ((response_body IS NOT NULL) AND (finished_at IS NOT NULL))) AND ((recovery_point <> 'finished'::text) OR ((lock_token IS NULL) AND (resumable_at IS NULL))))),
  CONSTRAINT idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING brin (created_at);

CREATE INDEX idempotency_keys_resumable ON public.idempotency_keys USING btree (resumable_at) WHERE (resumable_at IS NOT NULL);

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON idempotency_keys USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_keys TO service;

CREATE TABLE idempotent_calls (
  name text NOT NULL,
  token uuid NOT NULL,
  fingerprint text NOT NULL,
  record text,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotent_calls_pkey PRIMARY KEY (name),
  CONSTRAINT idempotent_calls_fingerprint_check CHECK (((length(fingerprint) >= 1) AND (length(fingerprint) <= 128))),
  CONSTRAINT idempotent_calls_name_check CHECK (((name ~ '^i9y:[a-z0-9-]+:.'::text) AND (length(name) <= 400))),
  CONSTRAINT idempotent_calls_record_check CHECK ((octet_length(record) <= 1100000))
);

CREATE INDEX idempotent_calls_expires ON public.idempotent_calls USING btree (expires_at);

GRANT DELETE, INSERT, SELECT, UPDATE ON idempotent_calls TO service;

CREATE TABLE ledger_days (
  merchant_id uuid NOT NULL,
  account text NOT NULL,
  psp text NOT NULL,
  currency text NOT NULL,
  day date NOT NULL,
  debit numeric NOT NULL,
  credit numeric NOT NULL,
  CONSTRAINT ledger_days_pkey PRIMARY KEY (merchant_id, account, psp, currency, day)
);

ALTER TABLE ledger_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON ledger_days USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_days TO service;

CREATE TABLE ledger_due (
  merchant_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  CONSTRAINT ledger_due_pkey PRIMARY KEY (merchant_id, payment_id, id)
);

ALTER TABLE ledger_due ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON ledger_due USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_due TO service;

CREATE VIEW ledger_effects WITH (security_invoker=true) AS
 SELECT t.merchant_id,
    t.source,
    t.kind,
    t.psp,
    t.psp_reference,
    t.payment_id,
    t.payout_id,
    t.entity_key,
    t.occurred_at,
    moved.currency,
    moved.amount
   FROM (ledger_transactions t
     CROSS JOIN LATERAL ( SELECT t.currency,
                CASE t.debit
                    WHEN 'psp_clearing'::text THEN t.amount
                    ELSE (- t.amount)
                END AS amount
          WHERE ('psp_clearing'::text = ANY (ARRAY[t.debit, t.credit]))
        UNION ALL
         SELECT e.currency,
            e.amount
           FROM ledger_entries e
          WHERE ((t.debit IS NULL) AND (e.merchant_id = t.merchant_id) AND (e.source = t.source) AND (e.account = 'psp_clearing'::text))) moved);

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_effects TO service;

CREATE TABLE ledger_entries (
  merchant_id uuid NOT NULL,
  source text NOT NULL,
  line smallint NOT NULL,
  account text NOT NULL,
  psp text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (merchant_id, source, line),
  CONSTRAINT ledger_entries_of_transaction FOREIGN KEY (merchant_id, source) REFERENCES ledger_transactions(merchant_id, source),
  CONSTRAINT ledger_entries_account_check CHECK ((account = ANY (ARRAY['psp_clearing'::text, 'merchant_payable'::text, 'refunds'::text, 'payouts'::text, 'disputes'::text, 'fees'::text, 'bank'::text, 'orphans'::text]))),
  CONSTRAINT ledger_entries_amount_check CHECK ((amount <> 0)),
  CONSTRAINT ledger_entries_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT ledger_entries_line_check CHECK ((line > 0))
);

CREATE INDEX ledger_entries_in_time ON public.ledger_entries USING btree (occurred_at);

CREATE INDEX ledger_entries_statement ON public.ledger_entries USING btree (account, psp, currency, occurred_at);

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

CREATE TRIGGER ledger_entries_balance AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION payonce_ledger_posted();

ALTER TABLE ledger_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON ledger_entries USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_entries TO service;

CREATE VIEW ledger_lines WITH (security_invoker=true) AS
 SELECT ledger_transactions.merchant_id,
    ledger_transactions.source,
    (1)::smallint AS line,
    ledger_transactions.kind,
    ledger_transactions.debit AS account,
    ledger_transactions.psp,
    ledger_transactions.currency,
    ledger_transactions.amount,
    ledger_transactions.payment_id,
    ledger_transactions.payout_id,
    ledger_transactions.occurred_at,
    ledger_transactions.posted_at
   FROM ledger_transactions
  WHERE (ledger_transactions.debit IS NOT NULL)
UNION ALL
 SELECT ledger_transactions.merchant_id,
    ledger_transactions.source,
    (2)::smallint AS line,
    ledger_transactions.kind,
    ledger_transactions.credit AS account,
    ledger_transactions.psp,
    ledger_transactions.currency,
    (- ledger_transactions.amount) AS amount,
    ledger_transactions.payment_id,
    ledger_transactions.payout_id,
    ledger_transactions.occurred_at,
    ledger_transactions.posted_at
   FROM ledger_transactions
  WHERE (ledger_transactions.debit IS NOT NULL)
UNION ALL
 SELECT e.merchant_id,
    e.source,
    e.line,
    t.kind,
    e.account,
    e.psp,
    e.currency,
    e.amount,
    t.payment_id,
    t.payout_id,
    e.occurred_at,
    t.posted_at
   FROM (ledger_entries e
     JOIN ledger_transactions t ON (((t.merchant_id = e.merchant_id) AND (t.source = e.source))));

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_lines TO service;

CREATE TABLE ledger_position (
  one boolean DEFAULT true NOT NULL,
  read_below xid8 DEFAULT pg_snapshot_xmin(pg_current_snapshot()) NOT NULL,
  swept_merchant uuid,
  swept_key text,
  laps integer DEFAULT 0 NOT NULL,
  lap_started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  read_at timestamp with time zone,
  CONSTRAINT ledger_position_pkey PRIMARY KEY (one),
  CONSTRAINT ledger_position_one_check CHECK (one)
);

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_position TO service;

CREATE TABLE ledger_transactions (
  merchant_id uuid NOT NULL,
  source text NOT NULL,
  kind text NOT NULL,
  psp text NOT NULL,
  payment_id uuid,
  payout_id uuid,
  entity_key text,
  occurred_at timestamp(3) with time zone NOT NULL,
  posted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  psp_reference text,
  debit text,
  credit text,
  currency text,
  amount bigint,
  CONSTRAINT ledger_transactions_pkey PRIMARY KEY (merchant_id, source),
  CONSTRAINT ledger_transactions_balance CHECK (((num_nonnulls(debit, credit, currency, amount) = ANY (ARRAY[0, 4])) AND (debit <> credit) AND (amount > 0) AND (debit = ANY (ARRAY['psp_clearing'::text, 'merchant_payable'::text, 'refunds'::text, 'payouts'::text, 'disputes'::text, 'fees'::text, 'bank'::text, 'orphans'::text])) AND (credit = ANY (ARRAY['psp_clearing'::text, 'merchant_payable'::text, 'refunds'::text, 'payouts'::text, 'disputes'::text, 'fees'::text, 'bank'::text, 'orphans'::text])) AND (currency ~ '^[A-Z]{3}$'::text))),
  CONSTRAINT ledger_transactions_kind_check CHECK ((kind = ANY (ARRAY['charge'::text, 'capture'::text, 'void'::text, 'refund'::text, 'refund_reversed'::text, 'payout'::text, 'payout_returned'::text, 'dispute'::text, 'orphan'::text, 'orphan_undone'::text, 'compensation'::text, 'compensation_reversed'::text, 'fee'::text, 'settlement'::text, 'correction'::text, 'capture_reversed'::text]))),
  CONSTRAINT ledger_transactions_source_check CHECK (((length(source) >= 1) AND (length(source) <= 400)))
);

CREATE INDEX ledger_transactions_by_reference ON public.ledger_transactions USING btree (psp, psp_reference);

CREATE INDEX ledger_transactions_credits ON public.ledger_transactions USING btree (credit, psp, currency, occurred_at) WHERE (debit IS NOT NULL);

CREATE INDEX ledger_transactions_debits ON public.ledger_transactions USING btree (debit, psp, currency, occurred_at) WHERE (debit IS NOT NULL);

CREATE INDEX ledger_transactions_in_time ON public.ledger_transactions USING btree (psp, occurred_at);

CREATE INDEX ledger_transactions_moved ON public.ledger_transactions USING btree (occurred_at) WHERE (debit IS NOT NULL);

CREATE TRIGGER ledger_transactions_append_only BEFORE DELETE OR UPDATE ON public.ledger_transactions FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

CREATE TRIGGER ledger_transactions_days AFTER INSERT ON public.ledger_transactions REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION payonce_ledger_moved();

CREATE TRIGGER ledger_transactions_disputes BEFORE INSERT ON public.ledger_transactions FOR EACH ROW WHEN (((new.kind = 'dispute'::text) AND (new.debit IS NULL))) EXECUTE FUNCTION payonce_ledger_leave();

ALTER TABLE ledger_transactions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON ledger_transactions USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON ledger_transactions TO service;

CREATE TABLE merchant_routing (
  merchant_id uuid NOT NULL,
  rules jsonb,
  version integer DEFAULT 1 NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT merchant_routing_pkey PRIMARY KEY (merchant_id),
  CONSTRAINT merchant_routing_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

ALTER TABLE merchant_routing ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON merchant_routing USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON merchant_routing TO service;

CREATE TABLE merchants (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  duplicate_window_s integer DEFAULT 0 NOT NULL,
  test_of uuid,
  payout_recipients text DEFAULT 'any'::text NOT NULL,
  orphans text,
  request_rate integer,
  orders text DEFAULT 'named'::text NOT NULL,
  payment_references text DEFAULT 'unique'::text NOT NULL,
  CONSTRAINT merchants_test_of UNIQUE (test_of),
  CONSTRAINT merchants_pkey PRIMARY KEY (id),
  CONSTRAINT merchants_test_of_fkey FOREIGN KEY (test_of) REFERENCES merchants(id),
  CONSTRAINT merchants_duplicate_window CHECK (((duplicate_window_s >= 0) AND (duplicate_window_s <= 86400))),
  CONSTRAINT merchants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT merchants_orders CHECK ((orders = ANY (ARRAY['named'::text, 'by_reference'::text]))),
  CONSTRAINT merchants_orphans CHECK ((orphans = ANY (ARRAY['automatic'::text, 'approve'::text]))),
  CONSTRAINT merchants_payment_references CHECK ((payment_references = ANY (ARRAY['unique'::text, 'repeat'::text]))),
  CONSTRAINT merchants_payout_recipients CHECK ((payout_recipients = ANY (ARRAY['any'::text, 'registered'::text, 'approved'::text]))),
  CONSTRAINT merchants_request_rate CHECK (((request_rate >= 1) AND (request_rate <= 1000000))),
  CONSTRAINT merchants_test_of_another CHECK ((test_of <> id))
);

ALTER TABLE merchants ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON merchants USING (payonce_sees(id));

GRANT DELETE, INSERT, SELECT, UPDATE ON merchants TO service;

CREATE TABLE non_execution_proofs (
  merchant_id uuid NOT NULL,
  entity_key text NOT NULL,
  route smallint NOT NULL,
  kind text NOT NULL,
  attempt smallint NOT NULL,
  proved_at timestamp with time zone NOT NULL,
  CONSTRAINT non_execution_proofs_pkey PRIMARY KEY (merchant_id, entity_key, route),
  CONSTRAINT non_execution_proofs_from_attempt FOREIGN KEY (merchant_id, entity_key, route, attempt) REFERENCES psp_attempts(merchant_id, entity_key, route, attempt),
  CONSTRAINT non_execution_proofs_kind_check CHECK ((kind = ANY (ARRAY['not_sent'::text, 'declined'::text, 'rejected'::text, 'cancel_acknowledged'::text, 'lookup_final'::text, 'person'::text])))
);

CREATE TRIGGER non_execution_proofs_append_only BEFORE DELETE OR UPDATE ON public.non_execution_proofs FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

CREATE CONSTRAINT TRIGGER non_execution_proofs_hold AFTER INSERT ON public.non_execution_proofs NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN ((new.kind <> 'person'::text)) EXECUTE FUNCTION payonce_proof_holds();

CREATE CONSTRAINT TRIGGER non_execution_proofs_person_holds AFTER INSERT ON public.non_execution_proofs NOT DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW WHEN ((new.kind = 'person'::text)) EXECUTE FUNCTION payonce_person_proof_holds();

CREATE TRIGGER non_execution_proofs_unsent AFTER INSERT ON public.non_execution_proofs FOR EACH ROW WHEN ((new.kind = 'person'::text)) EXECUTE FUNCTION payonce_person_proof_takes_back();

ALTER TABLE non_execution_proofs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON non_execution_proofs USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON non_execution_proofs TO service;

CREATE TABLE operation_snoozes (
  merchant_id uuid NOT NULL,
  entity_key text NOT NULL,
  until timestamp with time zone NOT NULL,
  owner_id uuid NOT NULL,
  note text NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT operation_snoozes_pkey PRIMARY KEY (merchant_id, entity_key),
  CONSTRAINT operation_snoozes_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  CONSTRAINT operation_snoozes_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES operators(id),
  CONSTRAINT operation_snoozes_note_check CHECK ((length(note) <= 500))
);

ALTER TABLE operation_snoozes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON operation_snoozes USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON operation_snoozes TO service;

CREATE TABLE operation_traces (
  subject uuid NOT NULL,
  traceparent text NOT NULL,
  at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  CONSTRAINT operation_traces_pkey PRIMARY KEY (subject),
  CONSTRAINT operation_traces_traceparent_check CHECK ((traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'::text))
);

CREATE INDEX operation_traces_at ON public.operation_traces USING brin (at);

GRANT DELETE, INSERT, SELECT, UPDATE ON operation_traces TO service;

CREATE TABLE operator_sessions (
  token_hash bytea NOT NULL,
  operator_id uuid NOT NULL,
  source_address text NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT operator_sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT operator_sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  CONSTRAINT operator_sessions_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE INDEX operator_sessions_by_operator ON public.operator_sessions USING btree (operator_id);

ALTER TABLE operator_sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON operator_sessions USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON operator_sessions TO service;

CREATE TABLE operators (
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  password_hash text,
  totp_secret bytea,
  totp_used bigint DEFAULT 0 NOT NULL,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  person text NOT NULL,
  oidc_issuer text,
  oidc_subject text,
  CONSTRAINT operators_name UNIQUE (name),
  CONSTRAINT operators_oidc UNIQUE (oidc_issuer, oidc_subject),
  CONSTRAINT operators_pkey PRIMARY KEY (id),
  CONSTRAINT operators_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9._@+-]{0,63}$'::text)),
  CONSTRAINT operators_oidc_named CHECK (((oidc_issuer IS NULL) = (oidc_subject IS NULL))),
  CONSTRAINT operators_person CHECK (((person = lower(person)) AND ((length(person) >= 1) AND (length(person) <= 320)))),
  CONSTRAINT operators_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'finance'::text, 'operator'::text, 'approver'::text, 'admin'::text]))),
  CONSTRAINT operators_two_factors CHECK (((password_hash IS NULL) = (totp_secret IS NULL)))
);

GRANT DELETE, INSERT, SELECT, UPDATE ON operators TO service;

CREATE TABLE orders (
  merchant_id uuid NOT NULL,
  reference text NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  currency text NOT NULL,
  in_parts boolean NOT NULL,
  amount_due bigint NOT NULL,
  amount_live bigint NOT NULL,
  amount_paid bigint NOT NULL,
  amount_overpaid bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT orders_pkey PRIMARY KEY (merchant_id, reference),
  CONSTRAINT orders_amount_due_check CHECK ((amount_due > 0)),
  CONSTRAINT orders_balance CHECK (((0 <= amount_paid) AND (amount_paid <= amount_live) AND (amount_live <= (amount_due + amount_overpaid)) AND (amount_overpaid >= 0))),
  CONSTRAINT orders_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT orders_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255))),
  CONSTRAINT orders_version_check CHECK ((version > 0))
);

CREATE UNIQUE INDEX orders_id ON public.orders USING btree (id);

CREATE INDEX orders_newest ON public.orders USING btree (merchant_id, id);

CREATE INDEX orders_overpaid ON public.orders USING btree (merchant_id, id) WHERE (amount_overpaid > 0);

ALTER TABLE orders ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON orders USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON orders TO service;

CREATE TABLE orphan_effects (
  merchant_id uuid NOT NULL,
  entity_key text NOT NULL,
  route smallint NOT NULL,
  attempt smallint NOT NULL,
  psp text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  found_at timestamp with time zone NOT NULL,
  operation text DEFAULT 'charge'::text NOT NULL,
  psp_reference text,
  status text DEFAULT 'open'::text NOT NULL,
  object smallint DEFAULT 1 NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT orphan_effects_each_object_once UNIQUE (merchant_id, entity_key, route, psp_reference),
  CONSTRAINT orphan_effects_pkey PRIMARY KEY (merchant_id, entity_key, route, object),
  CONSTRAINT orphan_effects_from_attempt FOREIGN KEY (merchant_id, entity_key, route, attempt) REFERENCES psp_attempts(merchant_id, entity_key, route, attempt),
  CONSTRAINT orphan_effects_object_check CHECK ((object >= 1)),
  CONSTRAINT orphan_effects_status_check CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'compensating'::text, 'compensated'::text, 'failed'::text, 'closed'::text])))
);

CREATE INDEX orphan_effects_due ON public.orphan_effects USING btree (due_at) WHERE (status = ANY (ARRAY['open'::text, 'approved'::text]));

CREATE INDEX orphan_effects_undecided ON public.orphan_effects USING btree (found_at) WHERE (status = ANY (ARRAY['open'::text, 'approved'::text, 'failed'::text]));

CREATE TRIGGER orphan_effects_ledger_due AFTER INSERT OR UPDATE OF status ON public.orphan_effects FOR EACH ROW EXECUTE FUNCTION payonce_ledger_due_orphan();

ALTER TABLE orphan_effects ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON orphan_effects USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON orphan_effects TO service;

CREATE TABLE payment_metadata (
  merchant_id uuid NOT NULL,
  pair bytea NOT NULL,
  payment_id uuid NOT NULL,
  CONSTRAINT payment_metadata_pkey PRIMARY KEY (merchant_id, pair, payment_id),
  CONSTRAINT payment_metadata_pair_check CHECK ((length(pair) = 16))
);

ALTER TABLE payment_metadata ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON payment_metadata USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON payment_metadata TO service;

CREATE TABLE payment_transitions (
  merchant_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  version integer NOT NULL,
  event text NOT NULL,
  from_status text,
  to_status text NOT NULL,
  actor text NOT NULL,
  entity_key text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT payment_transitions_pkey PRIMARY KEY (merchant_id, payment_id, version)
);

CREATE TRIGGER payment_transitions_append_only BEFORE DELETE OR UPDATE ON public.payment_transitions FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

ALTER TABLE payment_transitions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON payment_transitions USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON payment_transitions TO service;

CREATE TABLE payments (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  reference text NOT NULL,
  status text NOT NULL,
  capture_mode text NOT NULL,
  amount bigint NOT NULL,
  amount_captured bigint NOT NULL,
  amount_refunded bigint NOT NULL,
  currency text NOT NULL,
  card_brand text,
  card_country text,
  return_url text,
  statement_descriptor text,
  metadata jsonb NOT NULL,
  candidates jsonb NOT NULL,
  sealed bytea,
  psp text,
  psp_reference text,
  failure jsonb,
  next_action jsonb,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  capture_reserved bigint DEFAULT 0 NOT NULL,
  refund_reserved bigint DEFAULT 0 NOT NULL,
  fence boolean DEFAULT false NOT NULL,
  disputes jsonb,
  customer_hash bytea,
  customer_email_hash bytea,
  test boolean,
  order_reference text,
  holds_order boolean,
  customer_reference text,
  method text,
  CONSTRAINT payments_pkey PRIMARY KEY (merchant_id, id),
  CONSTRAINT payments_amount_check CHECK ((amount > 0)),
  CONSTRAINT payments_balance CHECK (((capture_reserved >= 0) AND ((amount_captured + capture_reserved) <= amount) AND (refund_reserved >= 0) AND ((amount_refunded + refund_reserved) <= amount_captured))),
  CONSTRAINT payments_capture_mode_check CHECK ((capture_mode = ANY (ARRAY['automatic'::text, 'manual'::text]))),
  CONSTRAINT payments_check CHECK (((amount_captured >= 0) AND (amount_captured <= amount))),
  CONSTRAINT payments_check1 CHECK (((amount_refunded >= 0) AND (amount_refunded <= amount_captured))),
  CONSTRAINT payments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT payments_customer_email_hash_check CHECK ((octet_length(customer_email_hash) = 16)),
  CONSTRAINT payments_customer_hash_check CHECK ((octet_length(customer_hash) = 16)),
  CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'requires_action'::text, 'authorized'::text, 'captured'::text, 'partially_refunded'::text, 'refunded'::text, 'canceled'::text, 'failed'::text])))
);

CREATE INDEX payments_amount ON public.payments USING btree (merchant_id, amount);

CREATE INDEX payments_by_id ON public.payments USING btree (id);

CREATE INDEX payments_customer ON public.payments USING btree (customer_hash, id) WHERE (customer_hash IS NOT NULL);

CREATE INDEX payments_customer_email ON public.payments USING btree (customer_email_hash, id) WHERE (customer_email_hash IS NOT NULL);

CREATE INDEX payments_disputed ON public.payments USING btree (merchant_id) WHERE (disputes IS NOT NULL);

CREATE UNIQUE INDEX payments_one_holds_order ON public.payments USING btree (merchant_id, order_reference) WHERE holds_order;

CREATE INDEX payments_order ON public.payments USING btree (merchant_id, order_reference, id) WHERE (order_reference IS NOT NULL);

CREATE INDEX payments_reference ON public.payments USING btree (merchant_id, reference, id);

CREATE TRIGGER payments_ledger_due AFTER UPDATE OF disputes ON public.payments FOR EACH ROW WHEN ((new.disputes IS DISTINCT FROM old.disputes)) EXECUTE FUNCTION payonce_ledger_due_dispute();

CREATE TRIGGER payments_with_metadata AFTER INSERT ON public.payments FOR EACH ROW WHEN ((new.metadata <> '{}'::jsonb)) EXECUTE FUNCTION payonce_find_by_metadata();

CREATE TRIGGER payments_with_order BEFORE UPDATE OF status, amount_captured, amount_refunded ON public.payments FOR EACH ROW WHEN (((new.order_reference IS NOT NULL) AND (current_setting('payonce.orders'::text, true) IS DISTINCT FROM 'known'::text) AND (((old.status IS DISTINCT FROM new.status) OR (old.amount_captured IS DISTINCT FROM new.amount_captured)) OR (old.amount_refunded IS DISTINCT FROM new.amount_refunded)))) EXECUTE FUNCTION payonce_order_left_behind();

ALTER TABLE payments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON payments USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON payments TO service;

CREATE TABLE payout_limits (
  merchant_id uuid NOT NULL,
  currency text NOT NULL,
  per text NOT NULL,
  max_amount bigint,
  max_count integer,
  CONSTRAINT payout_limits_pkey PRIMARY KEY (merchant_id, currency, per),
  CONSTRAINT payout_limits_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  CONSTRAINT payout_limits_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT payout_limits_max_amount_check CHECK ((max_amount >= 0)),
  CONSTRAINT payout_limits_max_count_check CHECK ((max_count >= 0)),
  CONSTRAINT payout_limits_per_check CHECK ((per = ANY (ARRAY['merchant'::text, 'recipient'::text]))),
  CONSTRAINT payout_limits_something CHECK (((max_amount IS NOT NULL) OR (max_count IS NOT NULL)))
);

ALTER TABLE payout_limits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON payout_limits USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON payout_limits TO service;

CREATE TABLE payout_transitions (
  merchant_id uuid NOT NULL,
  payout_id uuid NOT NULL,
  version integer NOT NULL,
  event text NOT NULL,
  from_status text,
  to_status text NOT NULL,
  actor text NOT NULL,
  entity_key text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT payout_transitions_pkey PRIMARY KEY (merchant_id, payout_id, version)
);

CREATE TRIGGER payout_transitions_append_only BEFORE DELETE OR UPDATE ON public.payout_transitions FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

ALTER TABLE payout_transitions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON payout_transitions USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON payout_transitions TO service;

CREATE TABLE payouts (
  merchant_id uuid NOT NULL,
  recipient text NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  reference text NOT NULL,
  status text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  statement_descriptor text,
  metadata jsonb NOT NULL,
  candidates jsonb NOT NULL,
  sealed bytea,
  psp text,
  psp_reference text,
  failure jsonb,
  previous uuid,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  recipient_version integer,
  test boolean,
  CONSTRAINT payouts_id UNIQUE (merchant_id, id),
  CONSTRAINT payouts_pkey PRIMARY KEY (merchant_id, recipient, id),
  CONSTRAINT payouts_follow_one FOREIGN KEY (merchant_id, recipient, previous) REFERENCES payouts(merchant_id, recipient, id),
  CONSTRAINT payouts_amount_check CHECK ((amount > 0)),
  CONSTRAINT payouts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT payouts_never_after_itself CHECK ((previous <> id)),
  CONSTRAINT payouts_sealed_until_ended CHECK (((status = 'processing'::text) = (sealed IS NOT NULL))),
  CONSTRAINT payouts_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'paid'::text, 'failed'::text, 'returned'::text]))) NOT VALID
);

CREATE INDEX payouts_by_id ON public.payouts USING btree (id);

CREATE UNIQUE INDEX payouts_one_after_another ON public.payouts USING btree (merchant_id, recipient, previous) NULLS NOT DISTINCT;

CREATE UNIQUE INDEX payouts_one_in_progress ON public.payouts USING btree (merchant_id, recipient) WHERE (status = 'processing'::text);

CREATE INDEX payouts_reference ON public.payouts USING btree (merchant_id, reference);

CREATE TRIGGER payouts_known_recipient BEFORE INSERT ON public.payouts FOR EACH ROW EXECUTE FUNCTION payonce_pays_known_recipient();

CREATE TRIGGER payouts_within_limits AFTER INSERT ON public.payouts FOR EACH ROW EXECUTE FUNCTION payonce_within_payout_limits();

ALTER TABLE payouts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON payouts USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON payouts TO service;

CREATE TABLE psp_accounts (
  id uuid NOT NULL,
  name text NOT NULL,
  entry bytea NOT NULL,
  fingerprint text NOT NULL,
  disabled_at timestamp with time zone,
  version integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT psp_accounts_name_key UNIQUE (name),
  CONSTRAINT psp_accounts_pkey PRIMARY KEY (id),
  CONSTRAINT psp_accounts_name_check CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$'::text))
);

CREATE TRIGGER psp_accounts_stay BEFORE DELETE OR UPDATE ON public.psp_accounts FOR EACH ROW EXECUTE FUNCTION payonce_psp_account_stays();

ALTER TABLE psp_accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON psp_accounts USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON psp_accounts TO service;

CREATE TABLE psp_attempts (
  merchant_id uuid NOT NULL,
  entity_key text NOT NULL,
  route smallint NOT NULL,
  attempt smallint NOT NULL,
  kind text NOT NULL,
  outcome text,
  decline text,
  psp_code text,
  http_status smallint,
  latency_ms integer,
  trace_id text NOT NULL,
  request jsonb NOT NULL,
  response jsonb,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT psp_attempts_pkey PRIMARY KEY (merchant_id, entity_key, route, attempt),
  CONSTRAINT psp_attempts_of_route FOREIGN KEY (merchant_id, entity_key, route) REFERENCES psp_requests(merchant_id, entity_key, route),
  CONSTRAINT psp_attempts_attempt_check CHECK ((attempt > 0)),
  CONSTRAINT psp_attempts_ended CHECK (((outcome IS NULL) = (ended_at IS NULL))),
  CONSTRAINT psp_attempts_kind CHECK (((kind = ANY (ARRAY['execute'::text, 'lookup'::text, 'cancel'::text, 'complete'::text])) OR ((kind = 'notice'::text) AND (outcome IS NOT NULL)))),
  CONSTRAINT psp_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'declined'::text, 'rejected'::text, 'throttled'::text, 'not_sent'::text, 'requires_action'::text, 'pending'::text, 'not_found'::text, 'canceled'::text, 'conflict'::text, 'unknown'::text])))
);

CREATE INDEX psp_attempts_in_time ON public.psp_attempts USING brin (started_at) WITH (pages_per_range='32', autosummarize='on');

CREATE TRIGGER psp_attempts_ended_once BEFORE UPDATE ON public.psp_attempts FOR EACH ROW WHEN (((old.outcome IS NOT NULL) OR ((((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR (old.entity_key IS DISTINCT FROM new.entity_key)) OR (old.route IS DISTINCT FROM new.route)) OR (old.attempt IS DISTINCT FROM new.attempt)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.request IS DISTINCT FROM new.request)) OR (old.trace_id IS DISTINCT FROM new.trace_id)) OR (old.started_at IS DISTINCT FROM new.started_at)))) EXECUTE FUNCTION payonce_append_only();

CREATE TRIGGER psp_attempts_kept BEFORE DELETE ON public.psp_attempts FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

ALTER TABLE psp_attempts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON psp_attempts USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON psp_attempts TO service;

CREATE TABLE psp_breakers (
  psp text NOT NULL,
  held_open boolean NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  note text NOT NULL,
  CONSTRAINT psp_breakers_pkey PRIMARY KEY (psp),
  CONSTRAINT psp_breakers_note_check CHECK (((length(note) >= 1) AND (length(note) <= 500))),
  CONSTRAINT psp_breakers_psp_check CHECK (((length(psp) >= 1) AND (length(psp) <= 64)))
);

GRANT DELETE, INSERT, SELECT, UPDATE ON psp_breakers TO service;

CREATE TABLE psp_open_breakers (
  psp text NOT NULL,
  process uuid NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT psp_open_breakers_pkey PRIMARY KEY (psp, process)
);

GRANT DELETE, INSERT, SELECT, UPDATE ON psp_open_breakers TO service;

CREATE TABLE psp_requests (
  merchant_id uuid NOT NULL,
  entity_key text NOT NULL,
  route smallint NOT NULL,
  operation text NOT NULL,
  payment_id uuid,
  psp text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  psp_idempotency_key text NOT NULL,
  psp_reference text,
  verdict text NOT NULL,
  next_step_at timestamp with time zone,
  stuck_at timestamp with time zone,
  fence integer NOT NULL,
  leased_by uuid,
  leased_until timestamp with time zone,
  rests_on_route smallint,
  opened_at timestamp with time zone NOT NULL,
  decided_at timestamp with time zone,
  payout_id uuid,
  look_again_at timestamp with time zone,
  first_stuck_at timestamp with time zone,
  account_fingerprint text,
  stuck_reason text,
  hinted_at timestamp with time zone,
  CONSTRAINT psp_requests_pkey PRIMARY KEY (merchant_id, entity_key, route),
  CONSTRAINT psp_requests_rests_on_proof FOREIGN KEY (merchant_id, entity_key, rests_on_route) REFERENCES non_execution_proofs(merchant_id, entity_key, route),
  CONSTRAINT psp_requests_amount_check CHECK ((amount > 0)),
  CONSTRAINT psp_requests_has_next_step CHECK (
CASE
    WHEN (verdict = 'open'::text) THEN ((decided_at IS NULL) AND ((next_step_at IS NULL) <> (stuck_at IS NULL)))
    ELSE ((decided_at IS NOT NULL) AND (next_step_at IS NULL) AND (stuck_at IS NULL) AND (leased_by IS NULL))
END),
  CONSTRAINT psp_requests_needs_proof CHECK (
CASE
    WHEN (route = 1) THEN (rests_on_route IS NULL)
    ELSE ((rests_on_route IS NOT NULL) AND (rests_on_route = (route - 1)))
END),
  CONSTRAINT psp_requests_one_subject CHECK ((num_nonnulls(payment_id, payout_id) = 1)),
  CONSTRAINT psp_requests_psp_idempotency_key_check CHECK ((length(psp_idempotency_key) <= 64)),
  CONSTRAINT psp_requests_route_check CHECK ((route > 0)),
  CONSTRAINT psp_requests_verdict_check CHECK ((verdict = ANY (ARRAY['open'::text, 'effective'::text, 'ruled_out'::text])))
);

CREATE INDEX psp_requests_by_psp_reference ON public.psp_requests USING btree (psp_reference) WHERE (psp_reference IS NOT NULL);

CREATE INDEX psp_requests_due ON public.psp_requests USING btree (psp, next_step_at) WHERE ((verdict = 'open'::text) AND (next_step_at IS NOT NULL));

CREATE INDEX psp_requests_look_again ON public.psp_requests USING btree (psp, look_again_at) WHERE ((verdict = 'ruled_out'::text) AND (look_again_at IS NOT NULL));

CREATE UNIQUE INDEX psp_requests_one_live_route ON public.psp_requests USING btree (merchant_id, entity_key) WHERE (verdict <> 'ruled_out'::text);

CREATE UNIQUE INDEX psp_requests_psp_idempotency_key ON public.psp_requests USING btree (merchant_id, psp_idempotency_key);

CREATE INDEX psp_requests_stuck ON public.psp_requests USING btree (merchant_id, stuck_at) WHERE (stuck_at IS NOT NULL);

ALTER TABLE psp_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON psp_requests USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON psp_requests TO service;

CREATE TABLE psp_returns (
  psp text NOT NULL,
  probed_at timestamp with time zone,
  back_at timestamp with time zone,
  CONSTRAINT psp_returns_pkey PRIMARY KEY (psp)
);

GRANT DELETE, INSERT, SELECT, UPDATE ON psp_returns TO service;

CREATE TABLE rate_buckets (
  name text NOT NULL,
  tokens double precision NOT NULL,
  taken double precision NOT NULL,
  per_second double precision NOT NULL,
  capacity double precision NOT NULL,
  refilled_at timestamp with time zone NOT NULL,
  CONSTRAINT rate_buckets_pkey PRIMARY KEY (name),
  CONSTRAINT rate_buckets_capacity_check CHECK ((capacity >= (1)::double precision)),
  CONSTRAINT rate_buckets_name_check CHECK ((length(name) <= 100)),
  CONSTRAINT rate_buckets_per_second_check CHECK ((per_second > (0)::double precision)),
  CONSTRAINT rate_buckets_taken_check CHECK ((taken >= (0)::double precision)),
  CONSTRAINT rate_buckets_tokens_check CHECK ((tokens >= (0)::double precision))
);

GRANT DELETE, INSERT, SELECT, UPDATE ON rate_buckets TO service;

CREATE TABLE recipients (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  reference text NOT NULL,
  version integer NOT NULL,
  tokens bytea,
  accounts jsonb NOT NULL,
  registered_by text NOT NULL,
  registered_at timestamp with time zone NOT NULL,
  approved_by text,
  approved_at timestamp with time zone,
  CONSTRAINT recipients_reference UNIQUE (merchant_id, reference),
  CONSTRAINT recipients_pkey PRIMARY KEY (merchant_id, id),
  CONSTRAINT recipients_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  CONSTRAINT recipients_approved_by_an_actor CHECK (((approved_at IS NULL) = (approved_by IS NULL))),
  CONSTRAINT recipients_removed_are_not_approved CHECK (((tokens IS NOT NULL) OR (approved_at IS NULL))),
  CONSTRAINT recipients_version_check CHECK ((version > 0))
);

CREATE TRIGGER recipients_version BEFORE UPDATE ON public.recipients FOR EACH ROW EXECUTE FUNCTION payonce_recipient_version();

ALTER TABLE recipients ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON recipients USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON recipients TO service;

CREATE TABLE reconciliation_breaks (
  psp text NOT NULL,
  id uuid NOT NULL,
  category text NOT NULL,
  subject text NOT NULL,
  run_id uuid,
  line_key text,
  merchant_id uuid,
  source text,
  entity_key text,
  psp_reference text,
  currency text,
  expected bigint,
  reported bigint,
  occurred_at timestamp(3) with time zone NOT NULL,
  opened_at timestamp(3) with time zone NOT NULL,
  owner text,
  closed_at timestamp(3) with time zone,
  closed_by text,
  resolution text,
  event_id text,
  CONSTRAINT reconciliation_breaks_pkey PRIMARY KEY (psp, id),
  CONSTRAINT reconciliation_breaks_psp_event_id_fkey FOREIGN KEY (psp, event_id) REFERENCES webhook_inbox(psp, event_id),
  CONSTRAINT reconciliation_breaks_psp_run_id_fkey FOREIGN KEY (psp, run_id) REFERENCES reconciliation_runs(psp, id),
  CONSTRAINT reconciliation_breaks_category CHECK (((category = ANY (ARRAY['missing_at_psp'::text, 'missing_here'::text, 'amount_mismatch'::text, 'currency_mismatch'::text, 'fee_mismatch'::text, 'status_mismatch'::text, 'duplicate_effect'::text, 'late_success'::text, 'wrong_psp'::text, 'timing'::text, 'possible_duplicate'::text])) OR ((event_id IS NOT NULL) AND (category = ANY (ARRAY['contradiction'::text, 'operation_unknown'::text]))))),
  CONSTRAINT reconciliation_breaks_closed CHECK (((closed_at IS NULL) = (closed_by IS NULL))),
  CONSTRAINT reconciliation_breaks_found CHECK (((run_id IS NULL) <> (event_id IS NULL))),
  CONSTRAINT reconciliation_breaks_money CHECK (((event_id IS NOT NULL) OR ((currency IS NOT NULL) AND (expected IS NOT NULL) AND (reported IS NOT NULL)))),
  CONSTRAINT reconciliation_breaks_owner_check CHECK (((length(owner) >= 1) AND (length(owner) <= 100))),
  CONSTRAINT reconciliation_breaks_resolution_check CHECK (((length(resolution) >= 1) AND (length(resolution) <= 500)))
);

CREATE INDEX reconciliation_breaks_by_id ON public.reconciliation_breaks USING btree (id);

CREATE INDEX reconciliation_breaks_of_run ON public.reconciliation_breaks USING btree (psp, run_id);

CREATE UNIQUE INDEX reconciliation_breaks_one_open ON public.reconciliation_breaks USING btree (psp, subject) WHERE (closed_at IS NULL);

CREATE INDEX reconciliation_breaks_open ON public.reconciliation_breaks USING btree (opened_at) WHERE (closed_at IS NULL);

ALTER TABLE reconciliation_breaks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON reconciliation_breaks USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, MAINTAIN, SELECT, UPDATE ON reconciliation_breaks TO service;

CREATE TABLE reconciliation_matches (
  psp text NOT NULL,
  line_key text NOT NULL,
  merchant_id uuid NOT NULL,
  source text NOT NULL,
  unit text NOT NULL,
  matched_by text NOT NULL,
  CONSTRAINT reconciliation_matches_pkey PRIMARY KEY (psp, line_key, merchant_id, source),
  CONSTRAINT reconciliation_matches_merchant_id_source_fkey FOREIGN KEY (merchant_id, source) REFERENCES ledger_transactions(merchant_id, source),
  CONSTRAINT reconciliation_matches_psp_line_key_fkey FOREIGN KEY (psp, line_key) REFERENCES report_lines(psp, key),
  CONSTRAINT reconciliation_matches_matched_by_check CHECK ((matched_by = ANY (ARRAY['psp_reference'::text, 'reference'::text, 'amount'::text])))
);

CREATE INDEX reconciliation_matches_of_transaction ON public.reconciliation_matches USING btree (merchant_id, source);

CREATE INDEX reconciliation_matches_of_unit ON public.reconciliation_matches USING btree (psp, unit);

ALTER TABLE reconciliation_matches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON reconciliation_matches USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, MAINTAIN, SELECT, UPDATE ON reconciliation_matches TO service;

CREATE TABLE reconciliation_runs (
  psp text NOT NULL,
  id uuid NOT NULL,
  format text NOT NULL,
  file_name text NOT NULL,
  content_hash text NOT NULL,
  covers text[] NOT NULL,
  period_from timestamp(3) with time zone NOT NULL,
  period_to timestamp(3) with time zone NOT NULL,
  lines integer NOT NULL,
  new_lines integer NOT NULL,
  imported_by text NOT NULL,
  imported_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT reconciliation_runs_once UNIQUE (psp, content_hash),
  CONSTRAINT reconciliation_runs_pkey PRIMARY KEY (psp, id)
);

ALTER TABLE reconciliation_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON reconciliation_runs USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON reconciliation_runs TO service;

CREATE TABLE refunds (
  merchant_id uuid NOT NULL,
  entity_key text NOT NULL,
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  reference text,
  status text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason text,
  metadata jsonb NOT NULL,
  psp text,
  psp_reference text,
  failure jsonb,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  test boolean,
  CONSTRAINT refunds_pkey PRIMARY KEY (merchant_id, entity_key),
  CONSTRAINT refunds_of_payment FOREIGN KEY (merchant_id, payment_id) REFERENCES payments(merchant_id, id),
  CONSTRAINT refunds_amount_check CHECK ((amount > 0)),
  CONSTRAINT refunds_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);

CREATE UNIQUE INDEX refunds_id ON public.refunds USING btree (merchant_id, id);

CREATE INDEX refunds_payment ON public.refunds USING btree (merchant_id, payment_id, id);

ALTER TABLE refunds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON refunds USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON refunds TO service;

CREATE TABLE report_fetches (
  psp text NOT NULL,
  id text NOT NULL,
  period_from timestamp(3) with time zone,
  period_to timestamp(3) with time zone,
  url text,
  due_at timestamp(3) with time zone NOT NULL,
  state text DEFAULT 'due'::text NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  next_at timestamp(3) with time zone,
  fault text,
  run_id uuid,
  CONSTRAINT report_fetches_pkey PRIMARY KEY (psp, id),
  CONSTRAINT report_fetches_psp_run_id_fkey FOREIGN KEY (psp, run_id) REFERENCES reconciliation_runs(psp, id),
  CONSTRAINT report_fetches_done CHECK (((state = 'done'::text) = (run_id IS NOT NULL))),
  CONSTRAINT report_fetches_due CHECK (((state = 'due'::text) = (next_at IS NOT NULL))),
  CONSTRAINT report_fetches_id_check CHECK (((length(id) >= 1) AND (length(id) <= 200))),
  CONSTRAINT report_fetches_one_way CHECK (((url IS NULL) = ((period_from IS NOT NULL) AND (period_to IS NOT NULL)))),
  CONSTRAINT report_fetches_state_check CHECK ((state = ANY (ARRAY['due'::text, 'done'::text, 'refused'::text]))),
  CONSTRAINT report_fetches_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);

CREATE INDEX report_fetches_due_by_account ON public.report_fetches USING btree (psp, next_at) WHERE (state = 'due'::text);

ALTER TABLE report_fetches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON report_fetches USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON report_fetches TO service;

CREATE TABLE report_lines (
  psp text NOT NULL,
  key text NOT NULL,
  run_id uuid NOT NULL,
  line integer NOT NULL,
  type text NOT NULL,
  kind text NOT NULL,
  psp_reference text,
  parent_reference text,
  reference text,
  currency text NOT NULL,
  gross bigint NOT NULL,
  fee bigint NOT NULL,
  net bigint NOT NULL,
  settled text NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  batch text,
  is_matched boolean DEFAULT false NOT NULL,
  merchant_id uuid,
  entity_key text,
  route smallint,
  evidence text,
  CONSTRAINT report_lines_pkey PRIMARY KEY (psp, key),
  CONSTRAINT report_lines_psp_run_id_fkey FOREIGN KEY (psp, run_id) REFERENCES reconciliation_runs(psp, id),
  CONSTRAINT report_lines_evidence_check CHECK ((evidence = ANY (ARRAY['due'::text, 'applied'::text, 'recorded'::text, 'known'::text, 'contradiction'::text, 'unknown'::text]))),
  CONSTRAINT report_lines_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'refund'::text, 'refund_reversed'::text, 'dispute'::text, 'dispute_reversed'::text, 'payout'::text, 'payout_returned'::text, 'fee'::text, 'settlement'::text, 'other'::text])))
);

CREATE INDEX report_lines_evidence ON public.report_lines USING btree (psp, key) WHERE (evidence = 'due'::text);

CREATE INDEX report_lines_of_run ON public.report_lines USING btree (psp, run_id, line);

CREATE INDEX report_lines_unmatched ON public.report_lines USING btree (psp, key) WHERE (NOT is_matched);

ALTER TABLE report_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON report_lines USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, MAINTAIN, SELECT, UPDATE ON report_lines TO service;

CREATE TABLE schedules (
  name text NOT NULL,
  every_ms integer NOT NULL,
  leased_by uuid,
  leased_until timestamp with time zone,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  failures integer DEFAULT 0 NOT NULL,
  CONSTRAINT schedules_pkey PRIMARY KEY (name),
  CONSTRAINT schedules_every_ms_check CHECK ((every_ms > 0))
);

GRANT DELETE, INSERT, SELECT, UPDATE ON schedules TO service;

CREATE TABLE schema_migrations (
  id integer DEFAULT nextval('schema_migrations_id_seq'::regclass) NOT NULL,
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL,
  CONSTRAINT "PK_62441bec32630ced9e4cccae336" PRIMARY KEY (id)
);

GRANT SELECT ON schema_migrations TO service;

CREATE TABLE seal_key (
  one boolean DEFAULT true NOT NULL,
  key_id text NOT NULL,
  since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT seal_key_pkey PRIMARY KEY (one),
  CONSTRAINT seal_key_key_id_check CHECK ((key_id ~ '^[0-9a-f]{16}$'::text)),
  CONSTRAINT seal_key_one_check CHECK (one)
);

ALTER TABLE seal_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON seal_key USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON seal_key TO service;

CREATE TABLE sign_in_links (
  token_hash bytea NOT NULL,
  operator_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sign_in_links_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  CONSTRAINT sign_in_links_token_hash_check CHECK ((length(token_hash) = 32))
);

ALTER TABLE sign_in_links ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON sign_in_links USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON sign_in_links TO service;

CREATE TABLE sign_in_tries (
  operator_id uuid NOT NULL,
  source text NOT NULL,
  failures integer NOT NULL,
  locked_until timestamp with time zone,
  tried_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_tries_pkey PRIMARY KEY (operator_id, source),
  CONSTRAINT sign_in_tries_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  CONSTRAINT sign_in_tries_source_check CHECK ((length(source) <= 100))
);

CREATE INDEX sign_in_tries_old ON public.sign_in_tries USING btree (tried_at);

ALTER TABLE sign_in_tries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON sign_in_tries USING (payonce_sees_all());

GRANT DELETE, INSERT, SELECT, UPDATE ON sign_in_tries TO service;

CREATE TABLE staged_jobs (
  id uuid NOT NULL,
  kind text NOT NULL,
  job_id text NOT NULL,
  args jsonb NOT NULL,
  story jsonb,
  not_before timestamp with time zone,
  staged_at timestamp with time zone NOT NULL,
  CONSTRAINT staged_jobs_pkey PRIMARY KEY (id),
  CONSTRAINT staged_jobs_job_id_check CHECK ((length(job_id) <= 200))
);

ALTER TABLE staged_jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON staged_jobs USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON staged_jobs TO service;

CREATE TABLE webhook_deliveries (
  merchant_id uuid NOT NULL,
  event_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  status text NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  in_flight boolean DEFAULT false NOT NULL,
  next_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (merchant_id, event_id, endpoint_id),
  CONSTRAINT webhook_deliveries_merchant_id_endpoint_id_fkey FOREIGN KEY (merchant_id, endpoint_id) REFERENCES webhook_endpoints(merchant_id, id),
  CONSTRAINT webhook_deliveries_merchant_id_event_id_fkey FOREIGN KEY (merchant_id, event_id) REFERENCES events(merchant_id, id),
  CONSTRAINT webhook_deliveries_check CHECK ((attempts >= tries)),
  CONSTRAINT webhook_deliveries_next CHECK (((status = 'pending'::text) = (next_at IS NOT NULL))),
  CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'canceled'::text]))),
  CONSTRAINT webhook_deliveries_tries_check CHECK ((tries >= 0))
);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (merchant_id, endpoint_id, next_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_deliveries_undelivered ON public.webhook_deliveries USING btree (event_id, endpoint_id) WHERE (status = ANY (ARRAY['pending'::text, 'exhausted'::text]));

ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON webhook_deliveries USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_deliveries TO service;

CREATE TABLE webhook_delivery_attempts (
  merchant_id uuid NOT NULL,
  event_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  attempt integer NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  http_status integer,
  error_code text,
  latency_ms integer,
  CONSTRAINT webhook_delivery_attempts_pkey PRIMARY KEY (merchant_id, event_id, endpoint_id, attempt),
  CONSTRAINT webhook_delivery_attempts_merchant_id_event_id_endpoint_id_fkey FOREIGN KEY (merchant_id, event_id, endpoint_id) REFERENCES webhook_deliveries(merchant_id, event_id, endpoint_id),
  CONSTRAINT webhook_delivery_attempts_attempt_check CHECK ((attempt > 0))
);

ALTER TABLE webhook_delivery_attempts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON webhook_delivery_attempts USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_delivery_attempts TO service;

CREATE TABLE webhook_endpoints (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  event_types text[],
  slot smallint,
  disabled_reason text,
  disabled_at timestamp with time zone,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  apart boolean DEFAULT false NOT NULL,
  paused_until timestamp with time zone,
  wake_at timestamp with time zone,
  leased_by uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_endpoints_slots UNIQUE (merchant_id, slot),
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (merchant_id, id),
  CONSTRAINT webhook_endpoints_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  CONSTRAINT webhook_endpoints_description_check CHECK ((length(description) <= 255)),
  CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['asked'::text, 'gone'::text, 'failing'::text]))),
  CONSTRAINT webhook_endpoints_enabled CHECK ((((slot IS NULL) = (disabled_reason IS NOT NULL)) AND ((slot IS NULL) = (disabled_at IS NOT NULL)))),
  CONSTRAINT webhook_endpoints_slot_check CHECK (((slot >= 1) AND (slot <= 16))),
  CONSTRAINT webhook_endpoints_two_secrets CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  CONSTRAINT webhook_endpoints_url_check CHECK ((length(url) <= 2048))
);

CREATE INDEX webhook_endpoints_to_wake ON public.webhook_endpoints USING btree (wake_at) WHERE (slot IS NOT NULL);

ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON webhook_endpoints USING (payonce_sees(merchant_id));

GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_endpoints TO service;

CREATE TABLE webhook_inbox (
  psp text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  facts jsonb NOT NULL,
  entity_key text,
  occurred_at timestamp with time zone,
  received_at timestamp with time zone NOT NULL,
  trace_id text NOT NULL,
  state text DEFAULT 'received'::text NOT NULL,
  reason text,
  taken text[] DEFAULT '{}'::text[] NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  next_at timestamp with time zone,
  decided_at timestamp with time zone,
  CONSTRAINT webhook_inbox_pkey PRIMARY KEY (psp, event_id),
  CONSTRAINT webhook_inbox_break_has_reason CHECK (((state = 'break'::text) = (reason IS NOT NULL))),
  CONSTRAINT webhook_inbox_decided CHECK (((state = 'received'::text) = (decided_at IS NULL))),
  CONSTRAINT webhook_inbox_due CHECK (((state = 'received'::text) = (next_at IS NOT NULL))),
  CONSTRAINT webhook_inbox_event_id_check CHECK (((length(event_id) >= 1) AND (length(event_id) <= 200))),
  CONSTRAINT webhook_inbox_facts_check CHECK ((jsonb_typeof(facts) = 'array'::text)),
  CONSTRAINT webhook_inbox_reason_check CHECK ((reason = ANY (ARRAY['operation_unknown'::text, 'contradiction'::text]))),
  CONSTRAINT webhook_inbox_state CHECK ((state = ANY (ARRAY['received'::text, 'applied'::text, 'ignored'::text, 'break'::text]))),
  CONSTRAINT webhook_inbox_tries_check CHECK (((tries >= 0) AND (tries <= 100))),
  CONSTRAINT webhook_inbox_type_check CHECK (((length(type) >= 1) AND (length(type) <= 100)))
);

CREATE INDEX webhook_inbox_newest ON public.webhook_inbox USING btree (received_at, psp, event_id);

CREATE INDEX webhook_inbox_to_apply ON public.webhook_inbox USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX webhook_inbox_to_forget ON public.webhook_inbox USING btree (decided_at) WHERE (state = ANY (ARRAY['applied'::text, 'ignored'::text]));

CREATE TRIGGER webhook_inbox_break AFTER INSERT OR UPDATE OF state ON public.webhook_inbox FOR EACH ROW WHEN ((new.state = 'break'::text)) EXECUTE FUNCTION payonce_break_of_notification();

CREATE TRIGGER webhook_inbox_decided_stays BEFORE DELETE OR UPDATE ON public.webhook_inbox FOR EACH ROW EXECUTE FUNCTION payonce_webhook_decided_stays();

ALTER TABLE webhook_inbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON webhook_inbox USING (payonce_sees_all()) WITH CHECK (true);

GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_inbox TO service;

CREATE OR REPLACE FUNCTION public.payonce_all_or_nothing(entered bigint, written bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF entered <> written THEN
    RAISE EXCEPTION 'a guard of this commit no longer holds' USING ERRCODE = 'P0C01';
  END IF;
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_bank_instruction_fixed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.batch IS NOT NULL AND NEW.batch IS DISTINCT FROM OLD.batch THEN
    RAISE EXCEPTION 'bank instruction % is in batch % already', OLD.end_to_end_id, OLD.batch;
  END IF;
  IF (NEW.psp, NEW.end_to_end_id, NEW.entity_key, NEW.kind, NEW.amount)
     IS DISTINCT FROM (OLD.psp, OLD.end_to_end_id, OLD.entity_key, OLD.kind, OLD.amount) THEN
    RAISE EXCEPTION 'bank instruction % cannot be changed', OLD.end_to_end_id;
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_break_of_notification()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO reconciliation_breaks (psp, id, category, subject, event_id, entity_key, psp_reference, currency, reported,
                                     occurred_at, opened_at)
  SELECT NEW.psp, gen_random_uuid(), NEW.reason, 'event:' || NEW.event_id, NEW.event_id,
         coalesce(f.fact ->> 'entityKey', NEW.entity_key), coalesce(f.fact ->> 'pspReference', f.fact ->> 'parentReference'),
         f.fact #>> '{answer,money,currency}', (f.fact #>> '{answer,money,amount}')::bigint,
         coalesce(NEW.occurred_at, NEW.received_at), NEW.decided_at
    FROM (SELECT) one
    LEFT JOIN LATERAL (
      SELECT fact FROM jsonb_array_elements(NEW.facts) WITH ORDINALITY AS e (fact, place)
       ORDER BY NEW.taken[place] IN ('contradiction', 'unknown') DESC NULLS LAST, place LIMIT 1) f ON true
  ON CONFLICT (psp, subject) WHERE closed_at IS NULL DO NOTHING;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_find_by_metadata()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO payment_metadata SELECT NEW.merchant_id, substr(sha256(convert_to(m.key || E'\n' || m.value, 'UTF8')), 1, 16), NEW.id FROM jsonb_each_text(NEW.metadata) m;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_first_id(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION public.payonce_keep_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.at > now() - interval '10 days' THEN
    RAISE EXCEPTION 'events are kept for ten days' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_ledger_due_dispute()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO ledger_due (merchant_id, payment_id) VALUES (NEW.merchant_id, NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_ledger_due_orphan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO ledger_due (merchant_id, payment_id)
  SELECT merchant_id, payment_id FROM psp_requests r
   WHERE r.merchant_id = NEW.merchant_id AND r.entity_key = NEW.entity_key AND r.route = NEW.route
     AND r.payment_id IS NOT NULL;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_ledger_leave()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_ledger_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO ledger_days AS d (merchant_id, account, psp, currency, day, debit, credit)
  SELECT merchant_id, account, psp, currency, (occurred_at AT TIME ZONE 'UTC')::date,
         coalesce(sum(amount) FILTER (WHERE is_debit), 0), coalesce(sum(amount) FILTER (WHERE NOT is_debit), 0)
    FROM posted CROSS JOIN LATERAL (VALUES (debit, true), (credit, false)) AS side (account, is_debit)
   WHERE account IS NOT NULL
   GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (merchant_id, account, psp, currency, day)
    DO UPDATE SET debit = d.debit + EXCLUDED.debit, credit = d.credit + EXCLUDED.credit;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_ledger_posted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  wrong record;
BEGIN
  SELECT source, currency, sum(amount) AS over INTO wrong FROM posted
   GROUP BY merchant_id, source, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of % in % sum to %', wrong.source, wrong.currency, wrong.over
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entries_balance';
  END IF;
  INSERT INTO ledger_days AS d (merchant_id, account, psp, currency, day, debit, credit)
  SELECT merchant_id, account, psp, currency, (occurred_at AT TIME ZONE 'UTC')::date,
         coalesce(sum(amount) FILTER (WHERE amount > 0), 0), coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)
    FROM posted GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (merchant_id, account, psp, currency, day)
    DO UPDATE SET debit = d.debit + EXCLUDED.debit, credit = d.credit + EXCLUDED.credit;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_order_left_behind()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'payment % is for an order, which this session does not know', NEW.id;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_pays_known_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  rule text := (SELECT m.payout_recipients FROM merchants m WHERE m.id = NEW.merchant_id);
BEGIN
  IF rule = 'any' THEN
    RETURN NEW;
  END IF;
  PERFORM FROM recipients r
    WHERE r.merchant_id = NEW.merchant_id AND r.reference = NEW.recipient AND r.version = NEW.recipient_version
      AND r.tokens IS NOT NULL AND (rule = 'registered' OR r.approved_at IS NOT NULL)
      FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a payout to a recipient that is not registered'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payouts_known_recipient';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_person_proof_holds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM psp_attempts a
     WHERE a.merchant_id = NEW.merchant_id AND a.entity_key = NEW.entity_key
       AND a.route = NEW.route AND a.attempt = NEW.attempt
       AND a.kind = 'notice' AND a.outcome = 'not_found' AND a.request ? 'stated_by') THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_person_proof_takes_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  account text;
  tenants text := coalesce(current_setting('payonce.tenants', true), '');
BEGIN
  -- Not as a setting of the function: only a superuser may declare one of a name of ours.
  PERFORM set_config('payonce.tenants', '*', true);
  SELECT r.psp INTO account FROM psp_requests r
   WHERE r.merchant_id = NEW.merchant_id AND r.entity_key = NEW.entity_key AND r.route = NEW.route;
  UPDATE bank_instructions SET status = 'rejected', reason = 'TAKENBACK', answered_at = NEW.proved_at
   WHERE psp = account AND entity_key = NEW.entity_key AND status = 'collected';
  -- A statement of its own: it sees a file that was made while the one above waited.
  IF EXISTS (SELECT FROM bank_instructions i JOIN bank_batches b ON b.psp = i.psp AND b.number = i.batch
              WHERE i.psp = account AND i.entity_key = NEW.entity_key AND b.state IN ('formed', 'placing')) THEN
    RAISE EXCEPTION '% stands in a file for % that is not sent yet', NEW.entity_key, account
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_unsent';
  END IF;
  PERFORM set_config('payonce.tenants', tenants, true);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_process_of(token uuid)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN substr(token::text, 15, 1) = '8' THEN ('x' || left(token::text, 8))::bit(32)::integer END
$function$;

CREATE OR REPLACE FUNCTION public.payonce_proof_holds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  told psp_attempts;
BEGIN
  SELECT * INTO told FROM psp_attempts a
   WHERE a.merchant_id = NEW.merchant_id AND a.entity_key = NEW.entity_key
     AND a.route = NEW.route AND a.attempt = NEW.attempt;
  IF NOT coalesce(CASE NEW.kind
       WHEN 'not_sent'            THEN told.kind = 'execute' AND told.outcome = 'not_sent'
       WHEN 'declined'            THEN told.outcome = 'declined' AND (told.kind IN ('execute', 'complete')
                                       OR (told.kind = 'notice' AND told.request @> '{"about": "operation"}'))
       WHEN 'rejected'            THEN told.kind = 'execute' AND told.outcome IN ('rejected', 'throttled')
       WHEN 'cancel_acknowledged' THEN told.outcome = 'canceled' OR (told.kind = 'cancel'
                                       AND told.outcome = 'pending' AND told.request @> '{"fence": true, "operation": "authorize"}')
       WHEN 'lookup_final'        THEN told.kind = 'lookup' AND told.outcome IN ('declined', 'not_found')
     END, false) THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_psp_account_stays()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' OR (OLD.id, OLD.name, OLD.fingerprint) IS DISTINCT FROM (NEW.id, NEW.name, NEW.fingerprint)
     OR NEW.version < OLD.version THEN
    RAISE EXCEPTION 'a PSP account stays what it is; disable it, and add another one'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'psp_accounts_stay';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_recipient_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.version < OLD.version OR (NEW.version > OLD.version AND NEW.approved_at IS NOT NULL)
     OR (NEW.version = OLD.version AND (NEW.tokens IS NULL) <> (OLD.tokens IS NULL)) THEN
    RAISE EXCEPTION 'a changed recipient is a new version, which nobody has approved'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'recipients_version';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_sees(merchant uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT current_setting('payonce.tenants', true) = '*' OR strpos(current_setting('payonce.tenants', true), merchant::text) > 0
$function$;

CREATE OR REPLACE FUNCTION public.payonce_sees_all()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT current_setting('payonce.tenants', true) = '*'
$function$;

CREATE OR REPLACE FUNCTION public.payonce_uses_payout_limit(status text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT status IN ('processing', 'paid')
$function$;

CREATE OR REPLACE FUNCTION public.payonce_wall_in(walled regclass, owner name)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
  EXECUTE format('CREATE POLICY tenants ON %s USING (payonce_sees(%I))', walled, owner);
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_webhook_decided_stays()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.state IN ('break', 'received') THEN
      RAISE EXCEPTION 'notification % of % is % and is kept', OLD.event_id, OLD.psp, OLD.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'webhook_inbox_decided_stays';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.state <> 'received' AND (NEW.state, NEW.reason) IS DISTINCT FROM (OLD.state, OLD.reason))
     OR NEW.facts IS DISTINCT FROM OLD.facts THEN
    RAISE EXCEPTION 'notification % of % is % and stays so', OLD.event_id, OLD.psp, OLD.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'webhook_inbox_decided_stays';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.payonce_within_payout_limits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  allowed record;
  used    record;
  day     timestamptz;
  is_limited boolean := false;
BEGIN
  IF NOT EXISTS (SELECT FROM payout_limits l WHERE l.merchant_id = NEW.merchant_id) THEN
    RETURN NULL;
  END IF;
  day := date_trunc('day', NEW.created_at, 'UTC');
  FOR allowed IN
    SELECT l.per, l.max_amount, l.max_count FROM payout_limits l
     WHERE l.merchant_id = NEW.merchant_id AND l.currency = NEW.currency ORDER BY l.per FOR UPDATE
  LOOP
    is_limited := true;
    -- Ids begin with a time of the same clock; an hour is more than the two can differ by.
    SELECT count(*) AS payouts, coalesce(sum(p.amount), 0) AS amount INTO used
      FROM payouts p
     WHERE p.merchant_id = NEW.merchant_id AND p.id >= payonce_first_id(day - interval '1 hour')
       AND p.created_at >= day AND p.created_at < day + interval '24 hours'
       AND p.currency = NEW.currency AND payonce_uses_payout_limit(p.status)
       AND (allowed.per = 'merchant' OR p.recipient = NEW.recipient);
    IF used.amount > allowed.max_amount THEN
      RAISE EXCEPTION 'a limit of payouts' USING ERRCODE = 'check_violation',
        CONSTRAINT = 'payouts_limit_' || allowed.per || '_amount';
    ELSIF used.payouts > allowed.max_count THEN
      RAISE EXCEPTION 'a limit of payouts' USING ERRCODE = 'check_violation',
        CONSTRAINT = 'payouts_limit_' || allowed.per || '_count';
    END IF;
  END LOOP;
  IF NOT is_limited THEN
    RAISE EXCEPTION 'a limit of payouts' USING ERRCODE = 'check_violation', CONSTRAINT = 'payouts_limit_currency';
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_own_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.decision = 'approved' AND NEW.decided_by <> NEW.requested_by AND (SELECT a.person = r.person FROM operators a, operators r
                                     WHERE a.id = NEW.decided_by AND r.id = NEW.requested_by) THEN
    RAISE EXCEPTION 'the same person may not approve what they asked for' USING ERRCODE = 'check_violation',
      CONSTRAINT = 'approvals_two_persons';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_second_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.action <> NEW.action OR OLD.action_hash <> NEW.action_hash OR OLD.requested_by <> NEW.requested_by
     OR OLD.expires_at <> NEW.expires_at
     OR (OLD.decision IS NOT NULL AND (OLD.decision, OLD.decided_by, OLD.decided_at)
         IS DISTINCT FROM (NEW.decision, NEW.decided_by, NEW.decided_at)) THEN
    RAISE EXCEPTION 'an approval is decided once, and what it is for does not change';
  END IF;
  RETURN NEW;
END $function$;
