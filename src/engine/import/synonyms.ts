// Names that other programs and people use for the built-in properties, for guessing the columns of a file. Only words that
// mean one thing for a type are listed: a wrong guess costs more than none.

/** By property, for every type that has it. */
const everywhere: Readonly<Record<string, readonly string[]>> = {
  svc_first_name: ['given name', 'forename', 'first', 'fname', 'vorname', 'prénom'],
  svc_last_name: ['surname', 'family name', 'last', 'lname', 'nachname', 'nom de famille'],
  svc_email: ['e-mail', 'mail', 'email address', 'e-mail address', 'mail address', 'work email', 'primary email'],
  svc_phone_number: ['phone', 'telephone', 'telephone number', 'tel', 'mobile', 'mobile phone', 'cell', 'cell phone'],
  svc_job_title: ['job', 'position', 'role', 'title', 'occupation'],
  svc_network_url: ['linkedin', 'linkedin url', 'linkedin profile', 'profile url', 'profile'],
  svc_location: ['city', 'town', 'place', 'based in'],
  svc_timezone: ['timezone', 'tz'],
  svc_summary: ['about', 'bio', 'biography'],
  svc_job_start_date: ['job start', 'started job', 'in role since'],
  svc_lead_score: ['score', 'lead rating', 'rating', 'temperature'],
  svc_domain: ['domain name', 'website domain', 'web domain', 'email domain'],
  svc_website: ['web', 'website', 'website url', 'homepage', 'home page', 'url', 'web address', 'www'],
  svc_industry: ['sector', 'branch', 'vertical'],
  svc_city: ['town', 'locality'],
  svc_employee_count: ['employee', 'number of employees', 'staff', 'headcount', 'company size', 'size'],
  svc_annual_revenue: ['revenue', 'turnover', 'annual turnover', 'yearly revenue', 'sales'],
  svc_description: ['about', 'summary', 'overview'],
  svc_company_type: ['type', 'ownership', 'legal form'],
  svc_year_founded: ['founded', 'founded in', 'year of foundation', 'founding year', 'established'],
  svc_region: ['state', 'province', 'county', 'state or region', 'state/province'],
  svc_country_code: ['iso country', 'country iso', 'country iso code'],
  svc_postal_code: ['zip', 'zip code', 'postcode', 'post code', 'plz'],
  svc_address: ['street', 'street address', 'address line', 'address 1', 'address line 1'],
  svc_amount: ['value', 'deal value', 'deal size', 'deal amount', 'price', 'worth'],
  svc_close_date: ['closing date', 'expected close', 'expected close date', 'closed on', 'close'],
  svc_body: ['text', 'content', 'details', 'note', 'description'],
  svc_due_at: ['due', 'due date', 'deadline', 'due on'],
  svc_title: ['subject', 'heading', 'headline', 'name', 'task'],
  svc_subject: ['title', 'topic', 'name'],
  svc_started_at: ['start', 'started', 'start time', 'begin', 'beginning', 'date', 'when'],
  svc_ended_at: ['end', 'ended', 'end time', 'finish', 'finished'],
};

/** Words that mean something else for other types. */
const ofType: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  svc_company: {
    svc_name: [
      'company',
      'organisation',
      'organization',
      'account',
      'account name',
      'business',
      'business name',
      'firm',
    ],
  },
  svc_deal: { svc_name: ['deal', 'opportunity', 'opportunity name', 'title', 'deal title'] },
};

export function synonymsOf(typeName: string, propertyName: string): readonly string[] {
  const general = Object.hasOwn(everywhere, propertyName) ? everywhere[propertyName] : undefined;
  const special = Object.hasOwn(ofType, typeName) ? ofType[typeName] : undefined;
  const own = special !== undefined && Object.hasOwn(special, propertyName) ? special[propertyName] : undefined;
  return [...(own ?? []), ...(general ?? [])];
}
