// The schema file of the demo org: a custom type that belongs to companies, and a property of contacts. The example of the
// README extends it, so both contain the same declarations.
import type { SchemaFile } from '../../src/schema/custom/custom-schema.ts';

export const demoSchema: SchemaFile = {
  object_types: [
    {
      name: 'subscription',
      label: 'Subscription',
      plural_label: 'Subscriptions',
      description: 'What a customer has signed up for, and until when.',
      title_property: 'plan',
      properties: [
        { name: 'plan', label: 'Plan', field_type: 'text', required: true },
        { name: 'monthly_fee', label: 'Monthly fee', field_type: 'currency' },
        { name: 'reference', label: 'Reference', field_type: 'text', unique: true },
        { name: 'seats', label: 'Seats', field_type: 'number' },
        {
          name: 'billing_period',
          label: 'Billing period',
          field_type: 'select',
          options: [
            { value: 'monthly', label: 'Monthly' },
            { value: 'yearly', label: 'Yearly' },
          ],
        },
        { name: 'starts_on', label: 'Starts on', field_type: 'date' },
        { name: 'renews_on', label: 'Renews on', field_type: 'date' },
        { name: 'renews_by_itself', label: 'Renews automatically', field_type: 'boolean' },
        { name: 'invoice_email', label: 'Invoices to', field_type: 'email', multi_valued: true },
      ],
    },
  ],
  properties: {
    svc_contact: [
      {
        name: 'preferred_channel',
        label: 'Preferred channel',
        description: 'How the person likes to be reached.',
        field_type: 'select',
        options: [
          { value: 'email', label: 'Email' },
          { value: 'phone', label: 'Phone' },
          { value: 'video', label: 'Video call' },
        ],
      },
    ],
  },
  association_types: [
    {
      name: 'subscription_to_company',
      label: 'Paid by',
      source: 'subscription',
      target: 'svc_company',
      cardinality: 'many_to_one',
    },
  ],
};
