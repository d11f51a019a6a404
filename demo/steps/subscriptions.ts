// The results of won deals: a subscription, which is a custom type of the demo org, and the payment figures of the company.
// Also the risks of open deals.
import { isoText } from '../../src/base/clock.ts';
import { sales } from '../story/deals.ts';
import { risks } from '../story/texts.ts';
import { evening } from './activities.ts';
import type { Calendar } from './calendar.ts';
import { type Account, type PlayedDeal, worded } from './cast.ts';
import { Random } from './random.ts';
import { bring, create, link, type Step } from './step.ts';

export function subscriptionSteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  return accounts.flatMap((account) => {
    const sold = account.deals.filter(({ outcome, pipeline }) => outcome === 'won' && pipeline === sales);
    const steps = sold.map((deal) => subscriptionStep(account, deal, calendar));
    const [latest] = sold.toSorted((left, right) => left.until - right.until);
    if (latest === undefined) return steps;
    const paid = bring(evening(calendar, latest.until * 0.7), 'svc_company', {
      match: { svc_domain: account.domain },
      properties: {
        svc_payments_mrr_total: {
          amount: sold.reduce((sum, deal) => sum + monthlyFee(deal), 0).toFixed(2),
          unit: latest.unit,
        },
        svc_payments_subscription_count: String(sold.length),
      },
    });
    return [...steps, paid];
  });
}

function monthlyFee({ amount }: PlayedDeal): number {
  return Math.round((Number(amount) / 12) * 100) / 100;
}

function subscriptionStep(account: Account, deal: PlayedDeal, calendar: Calendar): Step {
  const random = new Random(`subscription of ${deal.key}`);
  const seats = Math.max(5, Math.round(Number(deal.amount) / 900));
  const plan = seats < 10 ? 'Starter' : seats < 60 ? 'Team' : 'Scale';
  const startsAgo = deal.until - random.whole(2, 8);
  return create(
    calendar.moment(deal.until * 0.97),
    'subscription',
    `subscription/${deal.key}`,
    {
      plan,
      reference: `SUB-${random.whole(2_000, 9_999)}`,
      seats: String(seats),
      monthly_fee: { amount: monthlyFee(deal).toFixed(2), unit: deal.unit },
      billing_period: random.pick(['monthly', 'yearly', 'yearly']),
      starts_on: calendar.day(startsAgo),
      renews_on: calendar.day(startsAgo - 261),
      renews_by_itself: random.chance(0.6),
      invoice_email: [`invoices@${account.domain}`],
    },
    [link('subscription_to_company', account.ref)],
  );
}

export function riskSteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  const random = new Random('risks');
  const open = accounts.flatMap((account) =>
    account.deals.filter(({ outcome }) => outcome === 'open').map((deal) => ({ account, deal })),
  );
  return random.some(open, 9).map(({ account, deal }, index) => {
    const { title, description, recommendation, severity, category } = random.pick(risks);
    const noticedAgo = random.between(0.2, Math.min(12, deal.from));
    return bring(evening(calendar, noticedAgo), 'svc_risk', {
      external_id: `risk-${index + 1}`,
      properties: {
        svc_title: title,
        svc_description: worded(description, account, deal),
        svc_recommendation: worded(recommendation, account, deal),
        svc_severity: severity,
        svc_category: category,
        svc_status: random.pick(['open', 'open', 'acknowledged']),
        svc_detected_at: isoText(calendar.moment(noticedAgo)),
      },
      associations: [link('svc_risk_to_deal', deal.ref), link('svc_risk_to_company', account.ref)],
    });
  });
}
