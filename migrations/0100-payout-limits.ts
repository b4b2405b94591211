import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** How much a merchant may pay out in a day, held by the commit that opens a payout. */
export class PayoutLimits1700000000100 implements MigrationInterface {
  name = 'PayoutLimits1700000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What a merchant may pay out in one currency on a day (UTC), in all or to each recipient. A merchant without a row
-- has no limit; one with a row pays out in no currency without one.
CREATE TABLE payout_limits (
  merchant_id uuid    NOT NULL REFERENCES merchants (id),
  currency    text    NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  per         text    NOT NULL CHECK (per IN ('merchant', 'recipient')),
  -- Minor units; NULL: any. 0: none.
  max_amount  bigint  CHECK (max_amount >= 0),
  max_count   integer CHECK (max_count >= 0),
  PRIMARY KEY (merchant_id, currency, per),
  CONSTRAINT payout_limits_something CHECK (max_amount IS NOT NULL OR max_count IS NOT NULL)
);

-- Money that is on its way or has arrived has used a limit; money that never left or came back has not.
CREATE FUNCTION payonce_uses_payout_limit(status text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT status IN ('processing', 'paid')
$$;

-- The smallest UUIDv7 of a time.
CREATE FUNCTION payonce_first_id(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Runs behind the insert, so that all payouts of the statement are counted. The lock lets two commits of one
-- merchant and currency judge one after the other; each query here sees what was committed before it began.
CREATE FUNCTION payonce_within_payout_limits() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

CREATE TRIGGER payouts_within_limits AFTER INSERT ON payouts
  FOR EACH ROW EXECUTE FUNCTION payonce_within_payout_limits();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER payouts_within_limits ON payouts;
DROP FUNCTION payonce_within_payout_limits(), payonce_first_id(timestamptz), payonce_uses_payout_limit(text);
DROP TABLE payout_limits;
`);
  }
}
