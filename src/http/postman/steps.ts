// The requests of the Postman collection in the order in which they run from top to bottom, one for each operation, and the
// ids that they carry on in variables. What they write is moved to the trash at the end, so that they can run again.
import { exampleIds } from '../../operations/examples/records.ts';

export interface Step {
  /** The id of the operation, whose first example is sent. */
  readonly operation: string;
  /** Parameters of the path that differ from those of the example. */
  readonly path?: Readonly<Record<string, string>>;
  /** Variables that get a value from the answer, with its place in the body. */
  readonly keeps?: Readonly<Partial<Record<Variable, string>>>;
}

/** The ids that a run carries on. */
export const variables = {
  contact_id: 'The contact of `upsertRecord`.',
  deal_id: 'The deal of `createRecord`.',
  company_id: 'The company of `batch`.',
  second_deal_id: 'The deal of `batch`.',
} as const;

type Variable = keyof typeof variables;

/** The placeholders of the examples that variables stand for. */
export const variableOf: ReadonlyMap<string, Variable> = new Map([
  [exampleIds.contact, 'contact_id'],
  [exampleIds.deal, 'deal_id'],
  [exampleIds.company, 'company_id'],
]);

const path = { id: exampleIds.deal, association_type: 'svc_deal_to_contact', target_id: exampleIds.contact };

export const steps: readonly Step[] = [
  { operation: 'getRoot' },
  { operation: 'getOpenapi' },
  { operation: 'getSelf' },
  { operation: 'listObjectTypes' },
  { operation: 'getObjectType' },
  { operation: 'listFieldTypes' },
  { operation: 'listAssociationTypes' },
  { operation: 'upsertRecord', keeps: { contact_id: 'data.id' } },
  { operation: 'createRecord', keeps: { deal_id: 'data.id' } },
  { operation: 'getRecord' },
  { operation: 'updateRecord' },
  { operation: 'listRecords' },
  { operation: 'queryRecords' },
  { operation: 'aggregateRecords' },
  { operation: 'batch', keeps: { company_id: 'data.results[0].id', second_deal_id: 'data.results[2].id' } },
  { operation: 'deleteRecord', path: { object_type: 'svc_deal', id: '{{second_deal_id}}' } },
  { operation: 'putAssociation', path },
  { operation: 'listAssociated' },
  { operation: 'deleteAssociation' },
  { operation: 'listChanges' },
];

/** The last request, beside those of the operations: a batch that moves what is left to the trash. */
export const cleanUp = {
  operations: [
    { operation: 'delete', object_type: 'svc_deal', id: '{{deal_id}}' },
    { operation: 'delete', object_type: 'svc_contact', id: '{{contact_id}}' },
    { operation: 'delete', object_type: 'svc_company', id: '{{company_id}}' },
  ],
} as const;
