// The four core object types (specification 2.3): people, organisations, opportunities, and notes that are also tasks.
// A deal's stage, a contact's lifecycle stage and a note's status are associations, so they are not properties.

import { country } from '../fields/country.ts';
import { currency } from '../fields/currency.ts';
import { date } from '../fields/date.ts';
import { datetime } from '../fields/datetime.ts';
import { domain } from '../fields/domain.ts';
import { email } from '../fields/email.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { phone } from '../fields/phone.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import { timezone } from '../fields/timezone.ts';
import { url } from '../fields/url.ts';
import type { ObjectType, Property, ValueSource } from '../object-type.ts';
import { objectType, options, property } from './declare.ts';

/** The date of an activity is the first of these that is set. */
export const activityDates = ['svc_started_at', 'svc_created_at'] as const;

function lastActivityAt(id: number): Property {
  return property(id, 'svc_last_activity_at', 'Last activity at', datetime, {
    readOnly: true,
    indexed: true,
    computedFrom: [{ types: { kind: 'activity' }, properties: activityDates }],
    description: 'When the latest activity linked to the record began. Computed by the service.',
  });
}

function dealSources(...ofStage: readonly string[]): readonly ValueSource[] {
  return [
    { types: { type: 'svc_deal' }, properties: ['svc_amount'] },
    { types: { type: 'svc_deal_pipeline_stage' }, properties: ofStage },
  ];
}

const contact = objectType({
  id: 1,
  name: 'svc_contact',
  label: 'Contact',
  pluralLabel: 'Contacts',
  description: 'An individual person, found in email, entered by hand, imported or added by enrichment.',
  category: 'core',
  nature: 'open',
  kind: 'person',
  titleProperty: 'svc_last_name',
  properties: [
    property(3, 'svc_first_name', 'First name', text),
    property(4, 'svc_last_name', 'Last name', text, { indexed: true }),
    property(5, 'svc_email', 'Email', email, {
      multiValued: true,
      unique: true,
      description: 'All email addresses of the person. No two contacts share one.',
    }),
    property(6, 'svc_job_title', 'Job title', text),
    property(7, 'svc_network_url', 'Network profile', url, {
      description: 'Address of the profile on a professional network.',
    }),
    property(8, 'svc_phone_number', 'Phone number', phone, {
      multiValued: true,
      description: 'All phone numbers of the person.',
    }),
    property(9, 'svc_headline', 'Headline', text, {
      description: 'The line under the name on a professional profile.',
    }),
    property(10, 'svc_summary', 'Summary', longText, { description: 'Who the person is, in a few sentences.' }),
    property(11, 'svc_location', 'Location', text, {
      description: 'Where the person lives or works, in everyday words.',
    }),
    property(12, 'svc_timezone', 'Time zone', timezone),
    property(13, 'svc_job_start_date', 'Job start date', date, {
      description: 'When the person started the current job.',
    }),
    property(14, 'svc_lead_score', 'Lead score', select, {
      options: options('cold', 'warm', 'hot'),
      description: 'How likely the person is to buy.',
    }),
    property(15, 'svc_network_id', 'Network id', text, {
      description: 'Identifier of the profile on a professional network.',
    }),
    property(16, 'svc_first_web_source', 'First web source', text, {
      description: 'What brought the person to the website the first time.',
    }),
    property(17, 'svc_last_web_source', 'Last web source', text, {
      description: 'What brought the person to the website the last time.',
    }),
    lastActivityAt(18),
    property(19, 'svc_potential_deal_total', 'Potential deal total', currency, {
      readOnly: true,
      computedFrom: dealSources('svc_closed'),
      computed: 'potential',
      description: "Sum of the person's open deals in the org's currency. Computed by the service.",
    }),
    property(20, 'svc_weighted_deal_total', 'Weighted deal total', currency, {
      readOnly: true,
      computedFrom: dealSources('svc_closed', 'svc_probability'),
      computed: 'weighted',
      description: "The same sum, with each deal weighted by its stage's probability. Computed by the service.",
    }),
  ],
});

const company = objectType({
  id: 2,
  name: 'svc_company',
  label: 'Company',
  pluralLabel: 'Companies',
  description: 'An organisation, identified by its domain, to which contacts, deals and risks belong.',
  category: 'core',
  nature: 'open',
  kind: 'organization',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, { indexed: true }),
    property(4, 'svc_domain', 'Domain', domain, {
      unique: true,
      description: 'The host name that identifies the company. No two companies share one.',
    }),
    property(5, 'svc_industry', 'Industry', text),
    property(6, 'svc_city', 'City', text),
    property(7, 'svc_country', 'Country', text, { description: 'Name of the country, in everyday words.' }),
    property(8, 'svc_employee_count', 'Employees', number, { description: 'Number of people who work there.' }),
    property(9, 'svc_annual_revenue', 'Annual revenue', number, {
      description: "Revenue of one year, by convention in the org's currency.",
    }),
    property(10, 'svc_website', 'Web site', url),
    property(11, 'svc_description', 'Description', longText),
    property(12, 'svc_network_url', 'Network page', url, {
      description: 'Address of the page on a professional network.',
    }),
    property(13, 'svc_company_type', 'Company type', select, {
      options: options(
        'private',
        'public',
        'partnership',
        'sole_proprietor',
        'nonprofit',
        'government',
        'education',
        'other',
      ),
      description: 'Kind of organisation, by ownership.',
    }),
    property(14, 'svc_year_founded', 'Year founded', number),
    property(15, 'svc_headcount_range', 'Headcount range', select, {
      options: [
        { value: '1-10', label: '1 to 10' },
        { value: '11-50', label: '11 to 50' },
        { value: '51-200', label: '51 to 200' },
        { value: '201-500', label: '201 to 500' },
        { value: '501-1000', label: '501 to 1,000' },
        { value: '1001-5000', label: '1,001 to 5,000' },
        { value: '5001-10000', label: '5,001 to 10,000' },
        { value: '10001+', label: 'More than 10,000' },
      ],
      description: 'Approximate number of people who work there.',
    }),
    property(16, 'svc_region', 'Region', text, { description: 'State, province or region of the address.' }),
    property(17, 'svc_country_code', 'Country code', country),
    property(18, 'svc_postal_code', 'Postal code', text),
    property(19, 'svc_address', 'Address', text, { description: 'Street and number.' }),
    property(20, 'svc_payments_mrr_total', 'Monthly recurring revenue', currency, {
      readOnly: true,
      ingested: true,
      description: 'Amount that the company pays each month, from the connected payment system.',
    }),
    property(21, 'svc_payments_subscription_count', 'Subscriptions', number, {
      readOnly: true,
      ingested: true,
      description: 'Number of subscriptions of the company in the connected payment system.',
    }),
  ],
});

const deal = objectType({
  id: 3,
  name: 'svc_deal',
  label: 'Deal',
  pluralLabel: 'Deals',
  description: 'A sales opportunity that moves through the stages of a pipeline.',
  category: 'core',
  nature: 'open',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, { indexed: true }),
    property(4, 'svc_amount', 'Amount', currency, { indexed: true }),
    property(5, 'svc_close_date', 'Close date', date, {
      indexed: true,
      description: 'The day on which the deal was or should be closed.',
    }),
    lastActivityAt(6),
  ],
});

const note = objectType({
  id: 4,
  name: 'svc_note',
  label: 'Note',
  pluralLabel: 'Notes',
  description: 'A note attached to other records. With a status and a due date it is a task.',
  category: 'core',
  nature: 'open',
  titleProperty: 'svc_title',
  properties: [
    property(3, 'svc_title', 'Title', text),
    property(4, 'svc_body', 'Body', longText),
    property(5, 'svc_due_at', 'Due at', datetime, { indexed: true, description: 'When the task should be done.' }),
    property(6, 'svc_priority', 'Priority', select, { options: options('low', 'medium', 'high') }),
  ],
});

export const coreTypes: readonly ObjectType[] = [contact, company, deal, note];
