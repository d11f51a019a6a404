// The types whose records the service produces (specification 2.4). They arrive through ingest and accept no write on
// the API, whatever a key is granted; so none of their own properties needs to be read-only.
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
  description: 'A sign that a deal or the business with a company is in danger.',
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
      description: 'What the danger comes from.',
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
  description: "One visit to the org's web site, from its first page to its last.",
  category: 'generated',
  nature: 'generated',
  titleProperty: 'svc_title',
  properties: [
    property(3, 'svc_title', 'Title', text, { description: 'Title of the first page.' }),
    property(4, 'svc_url', 'Address', url, { description: 'Address of the first page.' }),
    property(5, 'svc_started_at', 'Started at', datetime),
    property(6, 'svc_ended_at', 'Ended at', datetime),
    property(7, 'svc_page_view_count', 'Page views', number, { description: 'How many pages were opened.' }),
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
  description: "Somebody who visits the org's web site, known by name or not.",
  category: 'generated',
  nature: 'generated',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, {
      description: 'What the visitor is called: by name once known, else by company, place or number.',
    }),
    property(4, 'svc_visitor_id', 'Visitor id', text, { description: 'Identifier that the web tracking gave.' }),
    property(5, 'svc_first_seen_at', 'First seen at', datetime),
    property(6, 'svc_last_seen_at', 'Last seen at', datetime),
    property(7, 'svc_visit_count', 'Visits', number, { description: 'How many visits there were so far.' }),
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
      description: 'What the visitor last came with.',
    }),
  ],
});

export const generatedTypes: readonly ObjectType[] = [risk, webVisit, webVisitor];
