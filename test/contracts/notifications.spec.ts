import { adyenSubject } from './adyen-subject.js';
import { checkoutSubject } from './checkout-subject.js';
import { exerciseNotices } from './exercise-notifications.js';
import { gocardlessSubject } from './gocardless-subject.js';
import { mollieSubject } from './mollie-subject.js';
import { paypalSubject } from './paypal-subject.js';
import { type Signing } from './notices/signing.js';
import { squareSubject } from './square-subject.js';
import { stripeSubject } from './stripe-subject.js';

const stripe: Signing = {
  secret: 'whsec_theFirstOfStripe',
  next: 'whsec_theSecondOfStripe',
  credentials: { secretKey: 'sk_test_averysecretkeyofstripe' },
  names: { secret: 'webhookSecret', previous: 'webhookSecretPrevious' },
  other: null,
  hasAge: true,
  tellsOfEnd: true,
  tellsOfWaiting: true,
};

const adyen: Signing = {
  secret: 'A1'.repeat(32),
  next: 'B2'.repeat(32),
  credentials: {
    apiKey: 'AQEaverysecretapikeyofadyen',
    merchantAccount: 'PayonceECOM',
    balanceAccount: 'BA1',
  },
  names: { secret: 'hmacKey', previous: 'hmacKeyPrevious' },
  other: { merchantAccount: 'PayoncePOS' },
  hasAge: false,
  tellsOfEnd: true,
  tellsOfWaiting: false,
};

const checkout: Signing = {
  secret: 'whsec_theFirstOfCheckout',
  next: 'whsec_theSecondOfCheckout',
  credentials: { secretKey: 'sk_sbox_averysecretkeyofcheckout' },
  names: { secret: 'webhookSecret', previous: 'webhookSecretPrevious' },
  other: null,
  hasAge: false,
  tellsOfEnd: false,
  tellsOfWaiting: false,
};

const square: Signing = {
  secret: 'theFirstSignatureKeyOfSquare',
  next: 'theSecondSignatureKeyOfSquare',
  credentials: { accessToken: 'EAAAlaverysecrettokenofsquare', locationId: 'L1' },
  names: { secret: 'webhookSecret', previous: 'webhookSecretPrevious' },
  address: 'notificationUrl',
  other: null,
  hasAge: false,
  tellsOfEnd: true,
  tellsOfWaiting: true,
};

const mollie: Signing = {
  secret: 'theFirstSigningSecretOfMollie',
  next: 'theSecondSigningSecretOfMollie',
  credentials: { apiKey: 'test_averysecretkeyofmollie' },
  names: { secret: 'webhookSecret', previous: 'webhookSecretPrevious' },
  other: null,
  hasAge: false,
  tellsOfEnd: true,
  tellsOfWaiting: 'waits',
  tellsOfLoss: false,
};

const gocardless: Signing = {
  secret: 'theFirstSecretOfGocardless',
  next: 'theSecondSecretOfGocardless',
  credentials: { accessToken: 'sandbox_averysecrettokenofgocardless' },
  names: { secret: 'webhookSecret', previous: 'webhookSecretPrevious' },
  other: null,
  hasAge: false,
  tellsOfEnd: false,
  tellsOfWaiting: false,
  tellsAmounts: false,
};

const paypal: Signing = {
  secret: 'WH-id-of-the-first-webhook',
  next: 'WH-id-of-the-second-webhook',
  credentials: { clientId: 'client', clientSecret: 'EAverysecretsecretofpaypal' },
  names: { secret: 'webhookId', previous: 'webhookIdPrevious' },
  other: null,
  hasAge: false,
  tellsOfEnd: true,
  tellsOfWaiting: 'waits',
  tellsParent: false,
};

exerciseNotices('stripe', stripeSubject('stripe'), stripe);
exerciseNotices('keyless', stripeSubject('keyless'), stripe);
exerciseNotices('adyen', adyenSubject, adyen);
exerciseNotices('checkout', checkoutSubject, checkout);
exerciseNotices('square', squareSubject, square);
exerciseNotices('mollie', mollieSubject, mollie);
exerciseNotices('gocardless', gocardlessSubject, gocardless);
exerciseNotices('paypal', paypalSubject, paypal);
