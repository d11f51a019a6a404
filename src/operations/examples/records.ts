// The records of the examples. Their ids and cursors are placeholders: readers replace them with their own, and so does the
// test that sends the examples, in an org that has exactly these records.

/** The id of the contact in another system. */
export const exampleExternalId = { source: 'hubspot', id: '4711' };

export const exampleIds = {
  company: '019a8c2e-4f10-7a31-9b52-6d0e8f1c2a01',
  contact: '019a8c2e-52b4-7c06-8e1d-3f5a7b9d4c12',
  duplicate: '019a8c2e-5601-70f9-a4c3-91e2b6d80f23',
  deletedContact: '019a8c2e-58d7-7b84-b7f0-2c4e6a8c1034',
  deal: '019a8c2e-5ba9-7e52-8d36-7a9c1e3f5b45',
  smallDeal: '019a8c2e-5e7c-7193-9af8-4d6f8b0c2e56',
  discovery: '019a8c2d-1c05-7d48-83b1-5e7a9c0d1f67',
  proposal: '019a8c2d-1c05-7f6a-9c24-8b0d2f4e6a78',
  stageTimer: '019a8c31-90e2-7a15-b6d7-0c2e4f6a8b89',
  newRecord: '019a8c33-07c6-7be3-85f9-1d3f5a7c9e90',
  absent: '019a8c33-07c7-74d0-a28e-6f8b0d2c4ea1',
} as const;

export const exampleCursor = 'eyJhdCI6IjAxOWE4YzJlIn0.3fJ0qk7Wv1mZrT9xYb2LdQ';
export const exampleChangesCursor = 'Zm9sbG93IGZyb20gaGVyZQ.p8VtN4cXe6RkHs2uAj1GwQ';
export const exampleRequestId = '019a8c34-6b1f-7d92-94e0-5a7c9d1f3eb2';
/** The origin of the service in the examples. */
export const exampleOrigin = 'http://127.0.0.1:4610';

/** Whether the value is a placeholder for something that only the caller knows. */
export function isPlaceholder(value: string): boolean {
  return value === exampleCursor || Object.values<string>(exampleIds).includes(value);
}

const kept = { svc_created_at: '2026-11-16T09:30:00.000Z', svc_updated_at: '2026-11-16T09:30:00.000Z' };

export const company = {
  id: exampleIds.company,
  object_type: 'svc_company',
  version: '1',
  properties: {
    svc_name: 'Brightwater Optics',
    svc_domain: 'brightwater.example',
    svc_industry: 'Optics',
    svc_city: 'Lisbon',
    svc_country_code: 'PT',
    svc_employee_count: '240',
    ...kept,
  },
} as const;

export const contact = {
  id: exampleIds.contact,
  object_type: 'svc_contact',
  version: '1',
  properties: {
    svc_first_name: 'Inês',
    svc_last_name: 'Carvalho',
    svc_email: ['ines.carvalho@brightwater.example'],
    svc_phone_number: [{ country_code: 'PT', national_number: '210000001' }],
    svc_job_title: 'Head of Purchasing',
    ...kept,
  },
} as const;

/** Computed from the deals of the contact, and present wherever all its properties are returned. */
export const contactTotals = {
  svc_potential_deal_total: { amount: '57500', unit: 'USD' },
  svc_weighted_deal_total: { amount: '16750', unit: 'USD' },
} as const;

export const deal = {
  id: exampleIds.deal,
  object_type: 'svc_deal',
  version: '1',
  properties: {
    svc_name: 'Brightwater: lenses for 2027',
    svc_amount: { amount: '48000.00', unit: 'USD' },
    svc_close_date: '2027-03-31',
    ...kept,
  },
} as const;

export const smallDeal = {
  id: exampleIds.smallDeal,
  object_type: 'svc_deal',
  version: '1',
  properties: {
    svc_name: 'Brightwater: service contract',
    svc_amount: { amount: '9500.00', unit: 'USD' },
    svc_close_date: '2027-05-15',
    ...kept,
  },
} as const;
