// Contacts, companies and deals as the properties of our service: twelve values for a contact, as a sync from another system
// sends them. The same number gives the same values in every run.
import { summaryOf, valuesOf } from './import-data.mjs';

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'UTC'];

export function contactOf(index) {
  return {
    ...valuesOf(index),
    svc_headline: `Building dependable things for team ${index % 77}`,
    svc_summary: summaryOf(index),
    svc_network_url: `https://network.example/in/user-${index}`,
    svc_timezone: zones[index % zones.length],
    svc_job_start_date: dayOf(2010, index % 5_000),
  };
}

export function emailOf(index) {
  return valuesOf(index).svc_email[0];
}

export function companyOf(index) {
  return {
    svc_name: `Company ${index}`,
    svc_domain: `company${index}.example`,
    svc_industry: `Industry ${index % 40}`,
    svc_city: `City ${index % 300}`,
    svc_country: `Country ${index % 90}`,
    svc_employee_count: String((index * 37) % 5_000),
    svc_annual_revenue: String(index * 1_000),
  };
}

export const largestAmount = 100_000;

export function dealOf(index) {
  return {
    svc_name: `Deal ${index}`,
    svc_amount: { amount: String(((index * 7_919) % (largestAmount * 10)) / 10), unit: 'EUR' },
    svc_close_date: dayOf(2026, index % 700),
  };
}

function dayOf(year, day) {
  return new Date(Date.UTC(year, 0, 1 + day)).toISOString().slice(0, 10);
}
