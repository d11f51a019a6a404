// The types whose records are generated (specification 2.4). Ingest writes them, and the API refuses all writes,
// whatever a key is granted, so their own properties need not be read-only.
import { country } from '../fields/country.ts';
import { datetime } from '../fields/datetime.ts';
import { domain } from '../fields/domain.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import { timezone } from '../fields/timezone.ts';
import { url } from '../fields/url.ts';
import type { ObjectType } from '../object-type.ts';
import { objectType, options, property } from './declare.ts';

const risk = objectType({
  id: 20,
  name: 'svc_risk',
  label: 'Risk',
  pluralLabel: 'Risks',
  description: 'A sign that a deal or the business with a company is at risk.',
  category: 'generated',
  nature: 'generated',
  titleProperty: 'svc_title',
  properties: [
    property(3, 'svc_title', 'Title', text),
    property(4, 'svc_description', 'Description', longText, { description: 'What was noticed, and why it matters.' }),
    property(5, 'svc_severity', 'Severity', select, { options: options('low', 'medium', 'high') }),
    property(6, 'svc_status', 'Status', select, { options: options('open', 'acknowledged', 'resolved', 'dismissed') }),
    property(7, 'svc_category', 'Category', select, {
      options: options('engagement', 'timing', 'people', 'budget', 'competition', 'product', 'other'),
      description: 'Source of the risk.',
    }),
    property(8, 'svc_recommendation', 'Recommendation', longText, { description: 'What could be done about it.' }),
    property(9, 'svc_detected_at', 'Detected at', datetime),
    property(10, 'svc_resolved_at', 'Resolved at', datetime),
  ],
});

const webVisit = objectType({
  id: 21,
  name: 'svc_web_visit',
  label: 'Web Visit',
  pluralLabel: 'Web Visits',
  description: "One visit to the org's website, from the first page to the last.",
  category: 'generated',
  nature: 'generated',
  titleProperty: 'svc_title',
  properties: [
    property(3, 'svc_title', 'Title', text, { description: 'Title of the first page.' }),
    property(4, 'svc_url', 'Address', url, { description: 'Address of the first page.' }),
    property(5, 'svc_started_at', 'Started at', datetime),
    property(6, 'svc_ended_at', 'Ended at', datetime),
    property(7, 'svc_page_view_count', 'Page views', number, { description: 'Number of pages opened.' }),
    property(8, 'svc_referrer', 'Referrer', url, { description: 'The page from which the visitor came.' }),
    property(9, 'svc_source', 'Source', text, {
      description: 'What brought the visitor, such as search, email or the name of a site.',
    }),
    property(10, 'svc_utm_source', 'UTM source', text),
    property(11, 'svc_utm_medium', 'UTM medium', text),
    property(12, 'svc_utm_campaign', 'UTM campaign', text),
    property(13, 'svc_utm_term', 'UTM term', text),
    property(14, 'svc_utm_content', 'UTM content', text),
  ],
});

const webVisitor = objectType({
  id: 22,
  name: 'svc_web_visitor',
  label: 'Web Visitor',
  pluralLabel: 'Web Visitors',
  description: "A visitor to the org's website, known by name or anonymous.",
  category: 'generated',
  nature: 'generated',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, {
      description: 'The name of the visitor if known; otherwise a company, place or number.',
    }),
    property(4, 'svc_visitor_id', 'Visitor id', text, { description: 'Identifier assigned by web tracking.' }),
    property(5, 'svc_first_seen_at', 'First seen at', datetime),
    property(6, 'svc_last_seen_at', 'Last seen at', datetime),
    property(7, 'svc_visit_count', 'Visits', number, { description: 'Number of visits so far.' }),
    property(8, 'svc_first_web_source', 'First web source', text, {
      description: 'What brought the visitor the first time.',
    }),
    property(9, 'svc_last_web_source', 'Last web source', text, {
      description: 'What brought the visitor the last time.',
    }),
    property(10, 'svc_company_domain', 'Company domain', domain, {
      description: 'Domain of the company from whose network the visits seem to come.',
    }),
    property(11, 'svc_city', 'City', text),
    property(12, 'svc_region', 'Region', text),
    property(13, 'svc_country_code', 'Country code', country),
    property(14, 'svc_timezone', 'Time zone', timezone),
    property(15, 'svc_device', 'Device', select, {
      options: options('desktop', 'mobile', 'tablet', 'other'),
      description: 'Device of the last visit.',
    }),
  ],
});

export const generatedTypes: readonly ObjectType[] = [risk, webVisit, webVisitor];
