// What the columns of other products' exports are understood as. Headers are facts about these products, written down by hand;
// the cells show how such a product writes them.
import { expect, test } from 'vitest';
import { moneyOf } from '../../../client/import/cells/amount-cell.ts';
import { guessColumns } from '../../../client/import/guess-columns.ts';
import { notesAbove } from '../../../client/import/notes-above.ts';
import { builtinCatalog } from '../../schema/custom/build-catalog.ts';
import type { PlannedColumn } from './column-use.ts';
import { planImport } from './plan.ts';

interface ProductFile {
  readonly file: string;
  readonly type: string;
  /**
   * Header, cells between bars, and what the column is understood as. A question mark marks a guess that is shown as one; a dash
   * is a column that is left out, with a word of the reason where that is known.
   */
  readonly columns: readonly (readonly [header: string, cells: string, understood: string])[];
}

const contactFiles: readonly ProductFile[] = [
  {
    file: 'HubSpot contacts',
    type: 'svc_contact',
    columns: [
      ['Record ID', '151|152', 'id in hubspot ?'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Email', 'nadia@nordlys.example|tom@tidewater.example', 'svc_email'],
      ['Phone Number', '+47 22 86 44 00|', 'svc_phone_number'],
      ['Mobile Phone Number', '+47 412 34 567|', 'svc_phone_number'],
      ['Contact owner', 'Olga Berg|Olga Berg', '- people'],
      ['Lead Status', 'New|Open', '-'],
      ['Marketing contact status', 'Non-marketing contact|', '-'],
      ['Create Date', '2024-03-02 10:15|2024-03-05 09:00', 'created at ?'],
      ['Last Activity Date', '2024-05-02 10:15|', '-'],
      ['Lifecycle Stage', 'Lead|Customer', 'svc_contact_to_lifecycle_stage by title ?'],
      ['Job Title', 'Buyer|', 'svc_job_title'],
      ['City', 'Oslo|', 'svc_location'],
      ['Company Name', 'Nordlys|Tidewater', '- another'],
      ['Associated Company', 'Nordlys|Tidewater', '- another'],
      ['Associated Company IDs', '501|502;503', 'svc_contact_to_company by external_id of hubspot ?'],
      ['Time Zone', 'europe_slash_oslo|', '- its cells'],
    ],
  },
  {
    file: 'Salesforce contacts, as a report',
    type: 'svc_contact',
    columns: [
      ['Salutation', 'Ms.|Mr.', '-'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Title', 'Buyer|Clerk', 'svc_job_title ?'],
      ['Account Name', 'Nordlys|Tidewater', 'svc_contact_to_company by title ?'],
      ['Mailing Street', 'Storgata 1|', '-'],
      ['Mailing City', 'Oslo|', 'svc_location'],
      ['Phone', '(415) 555-0123|', 'svc_phone_number'],
      ['Fax', '(415) 555-0124|', '-'],
      ['Mobile', '(415) 555-0125|', 'svc_phone_number'],
      ['Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Account Owner', 'Olga Berg|Olga Berg', '-'],
    ],
  },
  {
    file: 'Salesforce contacts, as a data export',
    type: 'svc_contact',
    columns: [
      ['Id', '0035g00000Ab1cdAAB|0035g00000Ab1ceAAB', 'id in salesforce ?'],
      ['IsDeleted', '0|0', '-'],
      ['AccountId', '0015g00000Xy1cdAAB|', 'svc_contact_to_company by external_id of salesforce ?'],
      ['LastName', 'Holm|Reed', 'svc_last_name'],
      ['FirstName', 'Nadia|Tom', 'svc_first_name'],
      ['Phone', '+47 22 86 44 00|', 'svc_phone_number'],
      ['MobilePhone', '+47 412 34 567|', 'svc_phone_number'],
      ['HomePhone', '+47 22 11 22 33|', 'svc_phone_number'],
      ['Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Title', 'Buyer|', 'svc_job_title ?'],
      ['LeadSource', 'Web|', '-'],
      ['OwnerId', '0055g000001abcdAAA|', '-'],
      ['CreatedDate', '2024-03-02T10:15:00.000Z|2024-03-05T09:00:00.000Z', 'created at ?'],
      ['LastModifiedDate', '2024-03-02T10:15:00.000Z|', '-'],
    ],
  },
  {
    file: 'Pipedrive people',
    type: 'svc_contact',
    columns: [
      ['Person - Name', 'Nadia Holm|Tom Reed', '- a whole name'],
      ['Person - First name', 'Nadia|Tom', 'svc_first_name'],
      ['Person - Last name', 'Holm|Reed', 'svc_last_name'],
      ['Person - Organization', 'Nordlys|Tidewater', 'svc_contact_to_company by title ?'],
      ['Person - Phone - Work', '+47 22 86 44 00|', 'svc_phone_number'],
      ['Person - Phone - Mobile', '+47 412 34 567|', 'svc_phone_number'],
      ['Person - Email - Work', 'nadia@nordlys.example|', 'svc_email'],
      ['Person - Email - Home', '|', 'svc_email'],
      ['Person - Open deals', '1|0', '-'],
      ['Person - Owner', 'Olga Berg|Olga Berg', '- people'],
      ['Person - Person created', '2024-03-02 10:15:00|2024-03-05 09:00:00', 'created at ?'],
      ['Person - Update time', '2024-03-02 10:15:00|', '-'],
      ['Person - ID', '11|12', 'id in pipedrive ?'],
      ['Person - Job title', 'Buyer|', 'svc_job_title'],
    ],
  },
  {
    file: 'Zoho contacts',
    type: 'svc_contact',
    columns: [
      ['Record Id', 'zcrm_4876876000000487001|zcrm_4876876000000487002', 'id in zoho ?'],
      ['Contact Owner.id', 'zcrm_4876876000000300001|', '-'],
      ['Contact Owner', 'Olga Berg|Olga Berg', '- people'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Account Name.id', 'zcrm_4876876000000480001|', 'svc_contact_to_company by external_id of zoho ?'],
      ['Account Name', 'Nordlys|', '- another'],
      ['Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Secondary Email', '|', 'svc_email'],
      ['Title', 'Buyer|', 'svc_job_title ?'],
      ['Mobile', '+47 412 34 567|', 'svc_phone_number'],
      ['Created Time', '2024-03-02 10:15:00|2024-03-05 09:00:00', 'created at ?'],
      ['Full Name', 'Nadia Holm|Tom Reed', '- a whole name'],
    ],
  },
  {
    file: 'Copper people',
    type: 'svc_contact',
    columns: [
      ['Copper ID', '78757050|78757051', 'id in copper ?'],
      ['Name', 'Nadia Holm|Tom Reed', '- a whole name'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Title', 'Buyer|', 'svc_job_title ?'],
      ['Company', 'Nordlys|Tidewater', 'svc_contact_to_company by title ?'],
      ['Contact Type', 'Potential Customer|', '-'],
      ['Owned By', 'Olga Berg|', '- people'],
      ['Work Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Personal Email', '|', 'svc_email'],
      ['Work Phone', '+47 22 86 44 00|', 'svc_phone_number'],
      ['Interaction Count', '12|3', '-'],
      ['Created At', '3/2/2024|3/25/2024', 'created at ?'],
    ],
  },
  {
    file: 'Freshsales contacts',
    type: 'svc_contact',
    columns: [
      ['First name', 'Nadia|Tom', 'svc_first_name'],
      ['Last name', 'Holm|Reed', 'svc_last_name'],
      ['Job title', 'Buyer|', 'svc_job_title'],
      ['Emails', 'nadia@nordlys.example;n@nordlys.example|', 'svc_email'],
      ['Mobile', '+47 412 34 567|', 'svc_phone_number'],
      ['Sales account', 'Nordlys|Tidewater', 'svc_contact_to_company by title ?'],
      ['Sales owner', 'olga@team.example|olga@team.example', 'svc_record_to_user by svc_email ?'],
      ['Lifecycle stage', 'Lead|Customer', 'svc_contact_to_lifecycle_stage by title ?'],
      ['Score', '42|7', '- its cells'],
      ['LinkedIn', 'https://linkedin.example/in/nadia|', 'svc_network_url'],
      ['Created at', '2024-03-02 10:15|2024-03-05 09:00', 'created at ?'],
    ],
  },
  {
    file: 'Close contacts',
    type: 'svc_contact',
    columns: [
      ['id', 'cont_8k2JHsd7HjsdK3hs8Jsk2LsP1|cont_8k2JHsd7HjsdK3hs8Jsk2LsP2', 'id in close ?'],
      ['lead_id', 'lead_8k2JHsd7HjsdK3hs8Jsk2LsP9|', '- another'],
      ['name', 'Nadia Holm|Tom Reed', '- a whole name'],
      ['title', 'Buyer|', 'svc_job_title ?'],
      ['primary_email', 'nadia@nordlys.example|', 'svc_email'],
      ['primary_phone', '+47 22 86 44 00|', 'svc_phone_number'],
      ['date_created', '2024-03-02T10:15:00+00:00|', 'created at ?'],
      ['date_updated', '2024-03-02T10:15:00+00:00|', '-'],
    ],
  },
  {
    file: 'Attio people',
    type: 'svc_contact',
    columns: [
      ['Record ID', '0191c3a2-4b5c-7d6e-8f90-a1b2c3d4e5f6|', '-'],
      ['Name', 'Nadia Holm|Tom Reed', '- a whole name'],
      ['Email addresses', 'nadia@nordlys.example|tom@tidewater.example', 'svc_email'],
      ['Company', 'nordlys.example|tidewater.example', 'svc_contact_to_company by svc_domain ?'],
      ['Job title', 'Buyer|', 'svc_job_title'],
      ['Phone numbers', '+4722864400|', 'svc_phone_number'],
      ['Primary location', 'Oslo, Norway|', 'svc_location'],
      ['Connection strength', 'Strong|Weak', '-'],
    ],
  },
  {
    file: 'Twenty people',
    type: 'svc_contact',
    columns: [
      ['Id', '0191c3a2-4b5c-7d6e-8f90-a1b2c3d4e5f6|', '-'],
      ['Name / First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Name / Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Emails / Primary Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Phones / Primary Phone Number', '+47 22 86 44 00|', 'svc_phone_number'],
      ['Linkedin / Link URL', 'https://linkedin.example/in/nadia|', 'svc_network_url'],
      ['City', 'Oslo|', 'svc_location'],
      ['Job Title', 'Buyer|', 'svc_job_title'],
      ['Creation date', '2024-03-02T10:15:00.000Z|', 'created at ?'],
      ['Company Id', '0191c3a2-4b5c-7d6e-8f90-a1b2c3d4e5f7|', '-'],
    ],
  },
  {
    file: 'Google contacts',
    type: 'svc_contact',
    columns: [
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Middle Name', '|', '-'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Phonetic First Name', '|', '-'],
      ['Nickname', '|', '-'],
      ['Organization Name', 'Nordlys|', 'svc_contact_to_company by title ?'],
      ['Organization Title', 'Buyer|', 'svc_job_title'],
      ['Birthday', '1990-01-02|', '-'],
      ['Labels', '* myContacts|', '-'],
      ['E-mail 1 - Label', 'Work|', '-'],
      ['E-mail 1 - Value', 'nadia@nordlys.example|', 'svc_email'],
      ['E-mail 2 - Value', '|', 'svc_email'],
      ['Phone 1 - Label', 'Mobile|', '-'],
      ['Phone 1 - Value', '+47 412 34 567|', 'svc_phone_number'],
      ['Address 1 - City', 'Oslo|', 'svc_location ?'],
    ],
  },
  {
    file: 'Outlook contacts',
    type: 'svc_contact',
    columns: [
      ['Title', 'Ms.|Mr.', '- another'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['E-mail Address', 'nadia@nordlys.example|', 'svc_email'],
      ['E-mail 2 Address', '|', 'svc_email'],
      ['Home Phone', '|', 'svc_phone_number'],
      ['Business Phone', '+47 22 86 44 00|', 'svc_phone_number'],
      ['Business Phone 2', '|', 'svc_phone_number'],
      ['Mobile Phone', '+47 412 34 567|', 'svc_phone_number'],
      ['Business Fax', '+47 22 86 44 01|', '-'],
      ["Assistant's Phone", '+47 22 86 44 02|', '-'],
      ['Company', 'Nordlys|', 'svc_contact_to_company by title ?'],
      ['Job Title', 'Buyer|', 'svc_job_title'],
      ['Business City', 'Oslo|', 'svc_location ?'],
      ['Web Page', 'https://nordlys.example|', '-'],
    ],
  },
  {
    file: 'Apple contacts, through a vCard converter',
    type: 'svc_contact',
    columns: [
      ['First name', 'Nadia|Tom', 'svc_first_name'],
      ['Last name', 'Holm|Reed', 'svc_last_name'],
      ['Organization', 'Nordlys|', 'svc_contact_to_company by title ?'],
      ['Job title', 'Buyer|', 'svc_job_title'],
      ['Email (work)', 'nadia@nordlys.example|', 'svc_email'],
      ['Email (home)', '|', 'svc_email'],
      ['Phone (mobile)', '+47 412 34 567|', 'svc_phone_number'],
      ['Note', 'Met in Oslo|', '-'],
    ],
  },
  {
    file: 'LinkedIn connections',
    type: 'svc_contact',
    columns: [
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['URL', 'https://www.linkedin.com/in/nadia|https://www.linkedin.com/in/tom', 'svc_network_url ?'],
      ['Email Address', '|', 'svc_email'],
      ['Company', 'Nordlys|Tidewater, Inc.', 'svc_contact_to_company by title ?'],
      ['Position', 'Buyer|Clerk', 'svc_job_title'],
      ['Connected On', '02 Mar 2024|05 Mar 2024', '-'],
    ],
  },
  {
    file: 'Mailchimp audience',
    type: 'svc_contact',
    columns: [
      ['Email Address', 'nadia@nordlys.example|tom@tidewater.example', 'svc_email'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Address', 'Storgata 1, Oslo|', '-'],
      ['Phone Number', '+4722864400|', 'svc_phone_number'],
      ['Birthday', '04/12|', '-'],
      ['MEMBER_RATING', '4|2', '-'],
      ['OPTIN_TIME', '2024-03-02 10:15:00|', '-'],
      ['TIMEZONE', 'Europe/Oslo|', 'svc_timezone'],
      ['LAST_CHANGED', '2024-03-02 10:15:00|', '-'],
      ['TAGS', '"vip","news"|', '-'],
    ],
  },
  {
    file: 'monday contacts',
    type: 'svc_contact',
    columns: [
      ['Name', 'Nadia Holm|Tom Reed', '- a whole name'],
      ['Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Phone', '4722864400|', 'svc_phone_number'],
      ['Accounts', 'Nordlys|', 'svc_contact_to_company by title ?'],
      ['Deals', 'Harbour lights|', '-'],
      ['Title', 'Buyer|', 'svc_job_title ?'],
    ],
  },
  {
    file: 'Capsule people',
    type: 'svc_contact',
    columns: [
      ['Type', 'person|person', '-'],
      ['Title', 'Ms|Mr', '- another'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Job Title', 'Buyer|', 'svc_job_title'],
      ['Organisation', 'Nordlys|', 'svc_contact_to_company by title ?'],
      ['About', 'Buys lights|', 'svc_summary'],
      ['Email Address', 'nadia@nordlys.example|', 'svc_email'],
      ['Phone Number', '+47 22 86 44 00|', 'svc_phone_number'],
    ],
  },
  {
    file: 'Less Annoying CRM contacts',
    type: 'svc_contact',
    columns: [
      ['Company Name', 'Nordlys|Tidewater', 'svc_contact_to_company by title ?'],
      ['First Name', 'Nadia|Tom', 'svc_first_name'],
      ['Last Name', 'Holm|Reed', 'svc_last_name'],
      ['Job Title', 'Buyer|', 'svc_job_title'],
      ['Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Phone', '(415) 555-0123|', 'svc_phone_number'],
      ['City', 'Oslo|', 'svc_location'],
      ['Background Info', 'Buys lights|', '-'],
      ['Assigned To', 'Olga Berg|', '- people'],
      ['Date Created', '3/2/2024|3/25/2024', 'created at ?'],
    ],
  },
  {
    file: 'Dynamics 365 contacts',
    type: 'svc_contact',
    columns: [
      ['(Do Not Modify) Contact', '0191c3a2-4b5c-7d6e-8f90-a1b2c3d4e5f6|', '-'],
      ['(Do Not Modify) Row Checksum', 'a1b2=|', '-'],
      ['Full Name', 'Nadia Holm|Tom Reed', '- a whole name'],
      ['Email', 'nadia@nordlys.example|', 'svc_email'],
      ['Company Name', 'Nordlys|', 'svc_contact_to_company by title ?'],
      ['Business Phone', '+47 22 86 44 00|', 'svc_phone_number'],
    ],
  },
];

const companyFiles: readonly ProductFile[] = [
  {
    file: 'HubSpot companies',
    type: 'svc_company',
    columns: [
      ['Record ID', '501|502', 'id in hubspot ?'],
      ['Company name', 'Nordlys|Tidewater', 'svc_name'],
      ['Company owner', 'Olga Berg|', '- people'],
      ['Create Date', '2024-03-02 10:15|', 'created at ?'],
      ['Phone Number', '+47 22 86 44 00|', '-'],
      ['City', 'Oslo|', 'svc_city'],
      ['Country/Region', 'Norway|', 'svc_country'],
      ['Industry', 'RENEWABLES_ENVIRONMENT|', 'svc_industry'],
      ['Company Domain Name', 'nordlys.example|tidewater.example', 'svc_domain'],
      ['Website URL', 'nordlys.example|tidewater.example', '- its cells'],
      ['Number of Employees', '200|50', 'svc_employee_count'],
      ['Annual Revenue', '1000000|', 'svc_annual_revenue'],
      ['Postal Code', '0155|', 'svc_postal_code'],
      ['Street Address', 'Storgata 1|', 'svc_address'],
      ['State/Region', 'Oslo|', 'svc_region'],
      ['LinkedIn Company Page', 'https://linkedin.example/company/nordlys|', 'svc_network_url'],
      ['Year Founded', '1998|', 'svc_year_founded'],
    ],
  },
  {
    file: 'Salesforce accounts',
    type: 'svc_company',
    columns: [
      ['Account ID', '0015g00000Xy1cd|0015g00000Xy1ce', 'id in salesforce ?'],
      ['Account Name', 'Nordlys|Tidewater', 'svc_name'],
      ['Account Owner', 'Olga Berg|', '- people'],
      ['Type', 'Customer - Direct|Prospect', '- its cells'],
      ['Rating', 'Hot|', '-'],
      ['Billing Street', 'Storgata 1|', 'svc_address'],
      ['Billing City', 'Oslo|', 'svc_city'],
      ['Billing State/Province', 'Oslo|', 'svc_region'],
      ['Billing Zip/Postal Code', '0155|', 'svc_postal_code'],
      ['Billing Country', 'Norway|', 'svc_country'],
      ['Shipping City', 'Bergen|', '-'],
      ['Website', 'https://nordlys.example|', 'svc_website'],
      ['Employees', '200|50', 'svc_employee_count'],
      ['Annual Revenue', '$1,000,000|', '- its cells'],
      ['Last Activity', '3/2/2024|', '-'],
      ['Created Date', '3/2/2024|3/25/2024', 'created at ?'],
    ],
  },
  {
    file: 'Pipedrive organizations',
    type: 'svc_company',
    columns: [
      ['Organization - Name', 'Nordlys|Tidewater', 'svc_name'],
      ['Organization - Label', 'Customer|', '-'],
      ['Organization - Address', 'Storgata 1, 0155 Oslo, Norway|', 'svc_address'],
      ['Organization - City/town/village/locality of Address', 'Oslo|', 'svc_city'],
      ['Organization - Country of Address', 'Norway|', 'svc_country'],
      ['Organization - ZIP/Postal code of Address', '0155|', 'svc_postal_code'],
      ['Organization - People', '2|1', '-'],
      ['Organization - Owner', 'Olga Berg|', '- people'],
      ['Organization - Organization created', '2024-03-02 10:15:00|', 'created at ?'],
      ['Organization - ID', '1|2', 'id in pipedrive ?'],
      ['Organization - Website', 'https://nordlys.example|', 'svc_website'],
      ['Organization - Number of employees', '200|', 'svc_employee_count'],
    ],
  },
  {
    file: 'SugarCRM accounts',
    type: 'svc_company',
    columns: [
      ['Name', 'Nordlys|Tidewater', 'svc_name'],
      ['Date Created', '2024-03-02 10:15|', 'created at ?'],
      ['Date Modified', '2024-03-02 10:15|', '-'],
      ['Description', 'Lights|', 'svc_description'],
      ['Office Phone', '+47 22 86 44 00|', '-'],
      ['Billing Street', 'Storgata 1|', 'svc_address'],
      ['Billing Postal Code', '0155|', 'svc_postal_code'],
      ['Website', 'http://nordlys.example|', 'svc_website'],
      ['Assigned User Name', 'olga|', '- people'],
      ['ID', '0191c3a2-4b5c-7d6e-8f90-a1b2c3d4e5f6|', '-'],
    ],
  },
];

const dealFiles: readonly ProductFile[] = [
  {
    file: 'HubSpot deals',
    type: 'svc_deal',
    columns: [
      ['Record ID', '901|902', 'id in hubspot ?'],
      ['Deal Name', 'Harbour lights|Night trains', 'svc_name'],
      ['Deal Stage', 'Proposal|Closed won', 'svc_deal_to_deal_pipeline_stage by title ?'],
      ['Pipeline', 'Sales Pipeline|Sales Pipeline', '-'],
      ['Amount', '12000|2500', 'svc_amount'],
      ['Amount in company currency', '12000|2500', '-'],
      ['Currency', 'EUR|EUR', '- perhaps the currency'],
      ['Close Date', '2024-06-30 10:15|', 'svc_close_date'],
      ['Create Date', '2024-03-02 10:15|', 'created at ?'],
      ['Deal owner', 'olga@team.example|', 'svc_record_to_user by svc_email ?'],
      ['Associated Company', 'Nordlys|Tidewater', '- another'],
      ['Associated Company IDs (Primary)', '501|502', 'svc_deal_to_company by external_id of hubspot ?'],
      ['Associated Contact', 'Nadia Holm (nadia@nordlys.example)|', '- people'],
      ['Associated Contact IDs', '151;152|', 'svc_deal_to_contact by external_id of hubspot ?'],
    ],
  },
  {
    file: 'Salesforce opportunities',
    type: 'svc_deal',
    columns: [
      ['Opportunity ID', '0065g00000Op1cd|0065g00000Op1ce', 'id in salesforce ?'],
      ['Opportunity Name', 'Harbour lights|Night trains', 'svc_name'],
      ['Account Name', 'Nordlys|Tidewater', 'svc_deal_to_company by title ?'],
      ['Stage', 'Proposal|Closed Won', 'svc_deal_to_deal_pipeline_stage by title ?'],
      ['Close Date', '6/30/2024|7/31/2024', 'svc_close_date'],
      ['Amount Currency', 'USD|USD', '- perhaps the currency'],
      ['Amount', '12000.00|2500.00', 'svc_amount'],
      ['Expected Revenue', '6000.00|2500.00', '- another'],
      ['Probability (%)', '50%|100%', '-'],
      ['Opportunity Owner', 'Olga Berg|', '- people'],
      ['Primary Contact', 'Nadia Holm|', '- people'],
      ['Next Step', 'Call|', '-'],
    ],
  },
  {
    file: 'Pipedrive deals',
    type: 'svc_deal',
    columns: [
      ['Deal - ID', '1|2', 'id in pipedrive ?'],
      ['Deal - Title', 'Harbour lights|Night trains', 'svc_name'],
      ['Deal - Organization', 'Nordlys|Tidewater', '- another'],
      ['Deal - Organization ID', '1|2', 'svc_deal_to_company by external_id of pipedrive ?'],
      ['Deal - Contact person', 'Nadia Holm|', '- people'],
      ['Deal - Value', '12000|2500', 'svc_amount'],
      ['Deal - Currency of value', 'EUR|EUR', '- perhaps the currency'],
      ['Deal - Weighted value', '6000|2500', '-'],
      ['Deal - Stage', 'Proposal|Won', 'svc_deal_to_deal_pipeline_stage by title ?'],
      ['Deal - Pipeline', 'Sales|Sales', '-'],
      ['Deal - Status', 'Open|Won', '-'],
      ['Deal - Owner', 'Olga Berg|', '- people'],
      ['Deal - Deal created', '2024-03-02 10:15:00|', 'created at ?'],
      ['Deal - Won time', '2024-06-30 10:15:00|', '-'],
      ['Deal - Deal closed on', '2024-06-30 10:15:00|', '- another'],
      ['Deal - Expected close date', '2024-07-31|2024-08-31', 'svc_close_date'],
    ],
  },
  {
    file: 'Airtable opportunities',
    type: 'svc_deal',
    columns: [
      ['Opportunity name', 'Harbour lights|Night trains', 'svc_name'],
      ['Status', 'Proposal|Qualification', '-'],
      ['Priority', 'High|', '-'],
      ['Estimated value', '$12,000.00|$2,500.00', 'svc_amount'],
      ['Account', 'Nordlys|Tidewater', 'svc_deal_to_company by title ?'],
      ['Primary contact', 'Nadia Holm|', '- people'],
      ['Owner', 'Olga Berg|', '- people'],
      ['Expected close date', '6/30/2024|', 'svc_close_date'],
      ['Proposal deadline', '5/1/2024|', '-'],
    ],
  },
  {
    file: 'Notion deals',
    type: 'svc_deal',
    columns: [
      ['Name', 'Harbour lights|Night trains', 'svc_name'],
      ['Company', 'Nordlys|Tidewater', 'svc_deal_to_company by title ?'],
      ['Amount', 'about ten|to be discussed', '- its cells are not amounts: "about ten"'],
      ['Close date', 'in spring|next year', '- its cells are not dates: "in spring"'],
      ['Email', 'nadia@nordlys.example|', '-'],
      ['Created', 'March 2, 2024 10:15 AM|March 5, 2024 9:00 AM', 'created at ?'],
      ['Last edited time', 'March 2, 2024 10:15 AM|', '-'],
    ],
  },
  {
    file: 'Streak boxes',
    type: 'svc_deal',
    columns: [
      ['Name', 'Harbour lights|Night trains', 'svc_name'],
      ['Stage', 'Proposal|Won', 'svc_deal_to_deal_pipeline_stage by title ?'],
      ['Assigned To', 'olga@team.example|', 'svc_record_to_user by svc_email ?'],
      ['Deal Size', '12000|2500', 'svc_amount'],
      ['Close Date', '6/30/2024|', 'svc_close_date'],
      ['Date Created', '3/2/2024|3/25/2024', 'created at ?'],
      ['Notes', 'Likes lights|', '-'],
    ],
  },
  {
    file: 'Odoo pipeline',
    type: 'svc_deal',
    columns: [
      ['External ID', '__export__.crm_lead_12_a1b2c3d4|__export__.crm_lead_13_a1b2c3d5', 'id in odoo ?'],
      ['Opportunity', 'Harbour lights|Night trains', 'svc_name'],
      ['Customer', 'Nordlys|Tidewater', 'svc_deal_to_company by title ?'],
      ['Contact Name', 'Nadia Holm|', '- people'],
      ['Salesperson', 'Olga Berg|', '- people'],
      ['Expected Revenue', '12000.0|2500.0', 'svc_amount ?'],
      ['Stage', 'Proposition|Won', 'svc_deal_to_deal_pipeline_stage by title ?'],
      ['Expected Closing', '2024-06-30|', 'svc_close_date'],
      ['Created on', '2024-03-02 10:15:00|', 'created at ?'],
    ],
  },
];

function planOf(type: string, columns: ProductFile['columns']): readonly PlannedColumn[] {
  const objectType = builtinCatalog.objectTypes.get(type);
  if (objectType === undefined) throw new Error(type);
  const cells = columns.map(([, texts]) => texts.split('|'));
  // A file with a few rows.
  const rows = [0, 1, 0, 1, 0, 1].map((row) => cells.map((column) => column[row] ?? ''));
  const headers = columns.map(([header]) => header);
  const request = { catalog: builtinCatalog, type: objectType, headers, rows, currency: 'EUR', match: undefined };
  return planImport(request).columns;
}

function understoodAs({ use }: PlannedColumn): string {
  if (use.kind === 'ignored') return use.why === 'no matching property' ? '-' : `- ${use.why}`;
  const mark = use.kind !== 'unit' && use.guessed === true ? ' ?' : '';
  if (use.kind === 'external_id') return `id in ${use.source}${mark}`;
  if (use.kind === 'created_at') return `created at${mark}`;
  if (use.kind === 'unit') return `currency of ${use.property}`;
  if (use.kind === 'link') {
    return `${use.association} by ${use.by}${use.source === undefined ? '' : ` of ${use.source}`}${mark}`;
  }
  const { currency } = use.style;
  return `${use.property}${currency === undefined ? '' : ` in ${currency}`}${mark}`;
}

/** As the table has it: of a reason, as much as the table says. */
function compared(
  columns: ProductFile['columns'],
  type: string,
): { readonly table: unknown; readonly planned: unknown } {
  const planned = planOf(type, columns).map((column, index) => {
    const text = understoodAs(column);
    const said = columns[index]?.[2] ?? '';
    return [column.header, said.length > 1 && said.startsWith('- ') && text.startsWith(said) ? said : text];
  });
  return { table: columns.map(([header, , understood]) => [header, understood]), planned };
}

test.each([...contactFiles, ...companyFiles, ...dealFiles])('$file', ({ type, columns }) => {
  const { table, planned } = compared(columns, type);
  expect(planned).toEqual(table);
});

test('the files are of twenty products and more', () => {
  const products = [...contactFiles, ...companyFiles, ...dealFiles].map(({ file }) => file.split(' ')[0]);
  expect(new Set(products).size).toBeGreaterThanOrEqual(20);
});

/** A column beside the one that every file of the type has. */
const beside: Readonly<Record<string, readonly [string, string, string]>> = {
  svc_contact: ['svc_headline', 'A|B', 'svc_headline'],
  svc_company: ['svc_name', 'A|B', 'svc_name'],
  svc_deal: ['svc_name', 'A|B', 'svc_name'],
  svc_note: ['svc_title', 'A|B', 'svc_title'],
};

test.each([
  ['svc_deal', 'Amount (USD)', '12000|1', 'svc_amount in USD'],
  ['svc_deal', 'Deal value in EUR', '12000|1', 'svc_amount in EUR'],
  ['svc_deal', 'Amount ($)', '12000|1', '- $ may be USD, AUD'],
  ['svc_deal', 'Amount (TCV)', '12000|1', '-'],
  ['svc_company', 'Annual revenue (EUR)', '12000|1', 'svc_annual_revenue'],
  [
    'svc_company',
    'Annual revenue (USD)',
    '12000|1',
    '- its numbers are in USD, and those of svc_annual_revenue in EUR',
  ],
  // Most of the cells decide, and one that does not fit makes it a guess.
  ['svc_deal', 'Amount', '12000|tbd', 'svc_amount ?'],
  ['svc_deal', 'Amount', 'tbd|', '- its cells are not amounts: "tbd"'],
  ['svc_deal', 'Close date', '2024-06-30|in spring', 'svc_close_date ?'],
  ['svc_deal', 'Close date', 'in spring|', '- its cells are not dates: "in spring"'],
  ['svc_deal', 'Create date', 'in spring|', '-'],
  // A column with the exact name of a property is no guess.
  ['svc_deal', 'svc_amount', 'tbd|', 'svc_amount'],
  // Of other types, it takes a few cells, none of which fits.
  ['svc_contact', 'Time zone', 'Oslo|', '- its cells are not names of time zones: "Oslo"'],
  ['svc_contact', 'Time zone', 'Oslo|Europe/Oslo', 'svc_timezone ?'],
  ['svc_company', 'Company size', '51-200|11-50', 'svc_headcount_range ?'],
  ['svc_company', 'Company size', '200|50', 'svc_employee_count ?'],
  ['svc_company', 'Company size', '|', '- could be svc_employee_count or svc_headcount_range'],
  // People and owners are named by what is theirs alone.
  ['svc_deal', 'Contact email', 'a@x.example|', 'svc_deal_to_contact by svc_email ?'],
  ['svc_deal', 'Contact', 'a@x.example|', 'svc_deal_to_contact by svc_email ?'],
  ['svc_deal', 'Owner email', 'a@x.example|', 'svc_record_to_user by svc_email ?'],
  ['svc_deal', 'Owner', 'Olga Berg|', '- people are not linked by their names'],
  ['svc_deal', 'Company domain', 'x.example|', 'svc_deal_to_company by svc_domain ?'],
  ['svc_deal', 'Company ID', '17|', '-'],
  ['svc_note', 'Deal', 'Harbour lights|', 'svc_note_to_deal by title ?'],
  ['svc_note', 'Status', 'To Do|', 'svc_note_to_note_pipeline_stage by title ?'],
  // An export of ours with the ids of links.
  ['svc_deal', 'svc_deal_to_company', '0191c3a2-4b5c-7d6e-8f90-a1b2c3d4e5f6|', 'svc_deal_to_company by id ?'],
])('a column of %s, %j with %j, is %j', (type, header, cells, understood) => {
  const own = beside[type] ?? ['', '', ''];
  const { table, planned } = compared([own, [header, cells, understood]], type);
  expect(planned).toEqual(table);
});

test('the better of two columns wins, of two equal ones the first, and amounts and dates of equal names stop the import', () => {
  const plan = (type: string, ...headers: readonly string[]) =>
    planOf(
      type,
      headers.map((header) => [header, '1|', ''] as const),
    ).map(understoodAs);
  expect(plan('svc_contact', 'Title', 'Job title')).toEqual([
    '- another column maps to svc_job_title',
    'svc_job_title',
  ]);
  expect(plan('svc_contact', 'Surname', 'Last')).toEqual(['svc_last_name', '- another column maps to svc_last_name']);
  expect(plan('svc_contact', 'Last-name', 'LAST NAME')).toEqual([
    'svc_last_name ?',
    '- another column maps to svc_last_name',
  ]);
  expect(() => plan('svc_deal', 'Amount (USD)', 'Amount (EUR)')).toThrow(
    /"Amount \(USD\)" and .* both map to svc_amount/,
  );
});

test('the names of columns decide alone in a file of refused rows, whose cells are bad for that reason', () => {
  const columns = [['_import_errors', 'line 2|', '- holds'] as const, ['Amount', 'tbd|', 'svc_amount'] as const];
  const { table, planned } = compared(columns, 'svc_deal');
  expect(planned).toEqual(table);
});

test('of several association types to the same records, a column that names only these means the one that is built in', () => {
  const link = (association: string, label: string) => ({ association, label, targets: [company] });
  const company = {
    name: 'svc_company',
    label: 'Company',
    pluralLabel: 'Companies',
    isPerson: false,
    hasTitle: true,
    unique: [],
  };
  const type = { name: 'svc_contact', label: 'Contact', pluralLabel: 'Contacts', properties: [] };
  const guess = (header: string, ...links: ReturnType<typeof link>[]) => {
    const file = { headers: [header], rows: [['Nordlys']] };
    const decided = { headers: new Set<string>(), subjects: new Set<string>() };
    const [column] = guessColumns({ type: { ...type, links }, file, money: moneyOf('EUR'), decided });
    return column?.use.kind === 'link' ? column.use.association : undefined;
  };
  const builtIn = link('svc_contact_to_company', 'Works at');
  const [former, advised] = [link('former_employer', 'Formerly at'), link('advised', 'Advises')];
  expect(guess('Company', builtIn, former)).toBe('svc_contact_to_company');
  expect(guess('Formerly at', builtIn, former)).toBe('former_employer');
  expect(guess('Company', former)).toBe('former_employer');
  expect(guess('Company', former, advised)).toBeUndefined();
});

test('notes above the names of the columns are found, and a file without notes has none', () => {
  const header = ['First Name', 'Last Name', 'URL', 'Company'];
  expect(notesAbove([['Notes:'], ['When exporting your connections, …'], header, ['A', 'B', '', '']])).toBe(2);
  expect(notesAbove([header, ['A', 'B', '', '']])).toBe(0);
  expect(notesAbove([['Name'], ['Nordlys'], ['Tidewater']])).toBe(0);
  expect(
    notesAbove([
      ['Name', ''],
      ['Nordlys', ''],
      ['Tidewater', 'x'],
    ]),
  ).toBe(0);
  expect(notesAbove([['Remark'], ['one'], ['one', ' two', ' three'], ['four']])).toBe(0);
  expect(notesAbove([])).toBe(0);
});
