// Names that other programs and people use for the built-in properties, for guessing the columns of a file: the better ones
// first. Only words that mean one thing for a type are listed: a wrong guess costs more than none.

interface Names {
  readonly sure: string;
  /** Words that often mean the property, and sometimes something else. */
  readonly likely?: string;
}

/** By property, for every type that has it. */
const everywhere: Readonly<Record<string, Names>> = {
  svc_first_name: { sure: 'given name|forename|first|fname|vorname|prénom|name first name|first name name' },
  svc_last_name: { sure: 'surname|family name|last|lname|nachname|nom de famille|name last name|last name name' },
  svc_email: { sure: 'e-mail|email address|e-mail address|mail address|mail' },
  svc_phone_number: { sure: 'phone|telephone|telephone number|tel|mobile number|mobile|cell|cell phone' },
  svc_job_title: { sure: 'job|job position|position|occupation|organization title|function', likely: 'title|role' },
  svc_network_url: {
    sure: 'linkedin|linkedin url|linkedin profile|linkedin profile url|linkedin company page|person linkedin|linkedin link|linkedin link url|profile url|network url',
    likely: 'profile|url',
  },
  svc_location: {
    sure: 'city|town|mailing city|based in|location city|primary location',
    likely: 'business city|home city|address 1 city|address city|place',
  },
  svc_timezone: { sure: 'timezone|tz' },
  svc_summary: { sure: 'about|bio|biography' },
  svc_job_start_date: { sure: 'job start|started job|in role since' },
  svc_lead_score: { sure: 'lead rating', likely: 'score|rating|temperature' },
  svc_domain: { sure: 'domain name|company domain name|website domain|web domain|domains', likely: 'email domain' },
  svc_website: { sure: 'web|website|website url|homepage|home page|web page|web address|www', likely: 'url' },
  svc_industry: { sure: 'sector|branch|vertical|industries', likely: 'category' },
  svc_city: {
    sure: 'billing city|city town|primary city|address city|town|locality|city town village locality of address',
  },
  svc_country: { sure: 'country region|billing country|primary country|address country|country of address' },
  svc_employee_count: {
    sure: 'employee|number of employees|no of employees|employee count|staff|headcount|team size',
    likely: 'company size|size',
  },
  svc_headcount_range: { sure: 'employee range', likely: 'company size|size|number of employees|employees' },
  svc_annual_revenue: { sure: 'revenue|turnover|annual turnover|yearly revenue', likely: 'sales' },
  svc_description: { sure: 'about us|about|summary|overview', likely: 'background' },
  svc_company_type: { sure: 'legal form', likely: 'ownership|type' },
  svc_year_founded: { sure: 'founded|founded in|year of foundation|founding year|established' },
  svc_region: {
    sure: 'state|province|county|state or region|state region|state province|billing state|billing state province|address state|state county of address',
  },
  svc_country_code: { sure: 'iso country|country iso|country iso code|country region code', likely: 'country' },
  svc_postal_code: {
    sure: 'zip|zip code|postcode|post code|plz|billing code|billing zip|billing postal code|billing zip postal code|zip postal code|address postcode|zip postal code of address',
  },
  svc_address: {
    sure: 'street|street address|billing street|address line|address 1|address line 1|address street|street address line 1',
  },
  svc_amount: {
    sure: 'deal value|deal size|value|expected value|estimated value',
    likely: 'price|worth|expected revenue',
  },
  svc_close_date: {
    sure: 'closing date|expected close|expected close date|expected closing|expected closing date|close|estimated close date',
    likely: 'closed on|closed date|forecast close date',
  },
  svc_body: { sure: 'text|content|details|note|note body|note content', likely: 'description' },
  svc_due_at: { sure: 'due|due date|deadline|due on' },
  svc_title: { sure: 'subject|heading|headline|task name|task|note title', likely: 'name' },
  svc_subject: { sure: 'title|topic', likely: 'name' },
  svc_started_at: { sure: 'start|started|start time|start date|begin|beginning', likely: 'date|when' },
  svc_ended_at: { sure: 'end|ended|end time|end date|finish|finished' },
  svc_entered_at: {
    sure: 'entered|entered on|entered stage|date entered|entry date',
    likely: 'from|since|start|begin',
  },
  svc_left_at: { sure: 'left|left on|left stage|date left|exited|date exited|exit date', likely: 'until|to|end' },
};

/** Words that mean something else for other types. */
const ofType: Readonly<Record<string, Readonly<Record<string, Names>>>> = {
  svc_company: {
    svc_name: {
      sure: 'company|organisation|organization|account|account name|business|business name|firm',
      likely: 'title',
    },
  },
  svc_deal: { svc_name: { sure: 'deal|deal title|opportunity|opportunity name|title', likely: 'subject' } },
};

interface KnownName {
  readonly text: string;
  readonly isSure: boolean;
}

/** The better ones first. */
export function knownNames(typeName: string, propertyName: string): readonly KnownName[] {
  const special = Object.hasOwn(ofType, typeName) ? ofType[typeName] : undefined;
  const found = [special, everywhere].flatMap((each) =>
    each !== undefined && Object.hasOwn(each, propertyName) ? [each[propertyName] as Names] : [],
  );
  return found.flatMap(({ sure, likely }) => [
    ...sure.split('|').map((text) => ({ text, isSure: true })),
    ...(likely?.split('|') ?? []).map((text) => ({ text, isSure: false })),
  ]);
}
