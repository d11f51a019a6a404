// The built-in vocabulary as the specification (2.3, 2.4, 2.6) and contract 3, 6 and 7 have it, written out by hand:
// nothing here is read from src, so that a test against it can fail.

interface ExpectedType {
  readonly name: string;
  readonly label: string;
  readonly category: string;
  readonly kind: string | null;
  /** The operations that the type accepts, with any grants. */
  readonly accepts: readonly string[];
}

/** name | label | category | kind | accepts (c create, u update, d delete, a associate) */
export const builtinTypes: readonly ExpectedType[] = `
  svc_contact                 | Contact                           | core      | person       | cuda
  svc_company                 | Company                           | core      | organization | cuda
  svc_deal                    | Deal                              | core      | -            | cuda
  svc_note                    | Note                              | core      | -            | cuda
  svc_deal_pipeline           | Deal Pipeline                     | pipeline  | -            | cuda
  svc_deal_pipeline_stage     | Deal Pipeline Stage               | pipeline  | -            | cuda
  svc_note_pipeline           | Task Statuses                     | pipeline  | -            | cuda
  svc_note_pipeline_stage     | Task Status                       | pipeline  | -            | cuda
  svc_contact_lifecycle_stage | Contact Lifecycle Stage           | pipeline  | -            | cuda
  svc_stage_timer             | Stage Timer                       | pipeline  | -            | -
  svc_meeting                 | Meeting                           | synced    | activity     | a
  svc_meeting_notes           | Meeting Notes                     | synced    | activity     | -
  svc_email_thread            | Email Thread                      | synced    | activity     | -
  svc_booking                 | Booking                           | synced    | activity     | -
  svc_booking_type            | Booking Type                      | synced    | -            | -
  svc_file                    | File                              | synced    | -            | -
  svc_call                    | Call                              | activity  | activity     | cuda
  svc_sms_conversation        | SMS Conversation                  | activity  | activity     | cuda
  svc_network_conversation    | Professional-network Conversation | activity  | activity     | cuda
  svc_risk                    | Risk                              | generated | -            | -
  svc_web_visit               | Web Visit                         | generated | -            | -
  svc_web_visitor             | Web Visitor                       | generated | -            | -`
  .trim()
  .split(/\n\s*/)
  .map((line) => {
    const [name = '', label = '', category = '', kind = '', accepts = ''] = line.split('|').map((cell) => cell.trim());
    return { name, label, category, kind: kind === '-' ? null : kind, accepts: operationsOf(accepts) };
  });

/** `cua` as create, update, associate, in the order of contract 3; `-` and `r` as none. */
export function operationsOf(letters: string): readonly string[] {
  return ['create', 'update', 'delete', 'associate'].filter((operation) => letters.includes(operation.charAt(0)));
}

interface ExpectedPair {
  readonly name: string;
  readonly source: string;
  readonly target: string;
  readonly cardinality: 'many_to_many' | 'many_to_one';
  readonly stage: boolean;
}

/** name | source | target | many, one or stage (which is many_to_one): kinds expanded, one line per concrete pair. */
const joins = `
  svc_contact_to_company | svc_contact | svc_company | many
  svc_deal_to_company | svc_deal | svc_company | one
  svc_deal_to_contact | svc_deal | svc_contact | many
  svc_deal_to_deal_pipeline_stage | svc_deal | svc_deal_pipeline_stage | stage
  svc_contact_to_lifecycle_stage | svc_contact | svc_contact_lifecycle_stage | stage
  svc_deal_pipeline_stage_to_deal_pipeline | svc_deal_pipeline_stage | svc_deal_pipeline | one
  svc_note_pipeline_stage_to_note_pipeline | svc_note_pipeline_stage | svc_note_pipeline | one
  svc_note_to_note_pipeline_stage | svc_note | svc_note_pipeline_stage | stage
  svc_note_to_contact | svc_note | svc_contact | many
  svc_note_to_company | svc_note | svc_company | many
  svc_note_to_deal | svc_note | svc_deal | many
  svc_activity_to_contact | svc_meeting | svc_contact | many
  svc_activity_to_contact | svc_meeting_notes | svc_contact | many
  svc_activity_to_contact | svc_email_thread | svc_contact | many
  svc_activity_to_contact | svc_call | svc_contact | many
  svc_activity_to_contact | svc_sms_conversation | svc_contact | many
  svc_activity_to_contact | svc_network_conversation | svc_contact | many
  svc_activity_to_contact | svc_booking | svc_contact | many
  svc_activity_to_company | svc_meeting | svc_company | many
  svc_activity_to_company | svc_meeting_notes | svc_company | many
  svc_activity_to_company | svc_email_thread | svc_company | many
  svc_activity_to_company | svc_call | svc_company | many
  svc_activity_to_company | svc_sms_conversation | svc_company | many
  svc_activity_to_company | svc_network_conversation | svc_company | many
  svc_activity_to_company | svc_booking | svc_company | many
  svc_activity_to_deal | svc_meeting | svc_deal | many
  svc_activity_to_deal | svc_meeting_notes | svc_deal | many
  svc_activity_to_deal | svc_email_thread | svc_deal | many
  svc_activity_to_deal | svc_call | svc_deal | many
  svc_activity_to_deal | svc_sms_conversation | svc_deal | many
  svc_activity_to_deal | svc_network_conversation | svc_deal | many
  svc_activity_to_deal | svc_booking | svc_deal | many
  svc_booking_to_booking_type | svc_booking | svc_booking_type | one
  svc_meeting_notes_to_meeting | svc_meeting_notes | svc_meeting | one
  svc_file_to_contact | svc_file | svc_contact | many
  svc_file_to_company | svc_file | svc_company | many
  svc_file_to_deal | svc_file | svc_deal | many
  svc_risk_to_company | svc_risk | svc_company | many
  svc_risk_to_deal | svc_risk | svc_deal | many
  svc_web_visit_to_web_visitor | svc_web_visit | svc_web_visitor | one
  svc_web_visitor_to_contact | svc_web_visitor | svc_contact | one
  svc_stage_timer_to_deal | svc_stage_timer | svc_deal | one
  svc_stage_timer_to_contact | svc_stage_timer | svc_contact | one
  svc_stage_timer_to_note | svc_stage_timer | svc_note | one
  svc_stage_timer_to_deal_pipeline_stage | svc_stage_timer | svc_deal_pipeline_stage | one
  svc_stage_timer_to_contact_lifecycle_stage | svc_stage_timer | svc_contact_lifecycle_stage | one
  svc_stage_timer_to_note_pipeline_stage | svc_stage_timer | svc_note_pipeline_stage | one`;

/** From any record, so from each of the types above. */
const visibility = builtinTypes
  .map(({ name }) => `svc_record_to_user | ${name} | svc_user | many\n svc_record_to_org | ${name} | svc_org | one`)
  .join('\n');

export const builtinPairs: readonly ExpectedPair[] = `${joins}\n${visibility}`
  .trim()
  .split(/\n\s*/)
  .map((line) => {
    const [name = '', source = '', target = '', how] = line.split(' | ');
    return {
      name,
      source,
      target,
      cardinality: how === 'many' ? ('many_to_many' as const) : ('many_to_one' as const),
      stage: how === 'stage',
    };
  });

export interface ExpectedEntry {
  readonly name: string;
  readonly source_type: string;
  readonly target_type: string;
  readonly direction: string;
  readonly cardinality: string;
  readonly stage: boolean;
  readonly writable: boolean;
}

/** The entries of one type's list (contract 3): as source, as target, and both where it is both; `links` may be written from. */
export function entriesOf(
  type: string,
  pairs: readonly ExpectedPair[],
  links: (source: string) => boolean,
): readonly ExpectedEntry[] {
  return pairs
    .flatMap((pair) => [
      ...(pair.source === type ? [{ pair, direction: 'outgoing' }] : []),
      ...(pair.target === type ? [{ pair, direction: 'incoming' }] : []),
    ])
    .map(({ pair, direction }) => ({
      name: pair.name,
      source_type: pair.source,
      target_type: pair.target,
      direction,
      cardinality: pair.cardinality,
      stage: pair.stage,
      writable: links(pair.source),
    }))
    .sort(byText);
}

/** The served list in the form and order of `entriesOf`: the label is the org's to choose. */
export function comparable(entries: readonly (ExpectedEntry & { readonly label: string })[]): readonly ExpectedEntry[] {
  return entries.map(({ label: _, ...entry }) => entry).sort(byText);
}

function byText(left: ExpectedEntry, right: ExpectedEntry): number {
  const text = (entry: ExpectedEntry) => [entry.name, entry.source_type, entry.target_type, entry.direction].join();
  return text(left) < text(right) ? -1 : 1;
}
